import { isoTime } from './iso-time.ts'
import { randomFor } from './random.ts'
import type { LogSource, Scenario } from './scenario.ts'

interface TimedLine {
  readonly time: string
  readonly text: string
}

/** The scenario's log as JSON lines in rising time, to the nanosecond. */
export function renderLogLines(scenario: Scenario): string {
  const lines = scenario.logs
    .flatMap((source, index) => sourceLines(source, scenario, index))
    .toSorted((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0))
  return lines.map(({ text }) => `${text}\n`).join('')
}

function sourceLines(
  source: LogSource,
  { seed, period, utcOffsetMinutes }: Scenario,
  index: number,
): readonly TimedLine[] {
  const random = randomFor(seed, `log ${index} ${source.service} ${source.level}`)
  const lines: TimedLine[] = []
  for (let second = period.start; second < period.end; second += 1) {
    const count = random.poisson(source.rate(second))
    for (let line = 0; line < count; line += 1) {
      const nanoseconds = String(Math.floor(random.next() * 1e9)).padStart(9, '0')
      const time = isoTime(second, utcOffsetMinutes ?? 0, `.${nanoseconds}`)
      const pod = source.podNames[Math.floor(random.next() * source.podNames.length)]
      const labels = { service: source.service, level: source.level, ...(pod === undefined ? {} : { pod }) }
      lines.push({ time, text: JSON.stringify({ ts: time, labels, line: source.line(random) }) })
    }
  }
  return lines
}
