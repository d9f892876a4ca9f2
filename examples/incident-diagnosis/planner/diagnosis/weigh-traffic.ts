import { sayIn, type Say } from '../../report/index.ts'
import { formatTime } from '../../sources/index.ts'
import type { Facts } from '../facts/facts.ts'
import { detectOnset } from '../series/detect-onset.ts'
import { formatValue } from '../series/format-value.ts'
import { moreRequests } from '../series/rise-limits.ts'
import { middleOf, type Point } from '../series/series.ts'
import type { Symptoms } from './find-symptoms.ts'
import type { Hypothesis } from './hypothesis.ts'
import { coincide } from './time-order.ts'

const aboutLoad = /\b(?:overload(?:ed)?|queue|too many requests|rate.?limit(?:ed)?|load.?shed\w*|429)\b/i

/** Weighs the request rate: a surge is a lasting rise by half that began no later than the symptoms. */
export function weighTraffic(facts: Facts, symptoms: Symptoms): Hypothesis | null {
  const points = facts.requestRate?.value
  if (points === undefined) return null
  const say = sayIn(facts.language)
  const base = {
    cause: 'traffic_surge',
    subject: say(`request rate of ${facts.service}`, `${facts.service} 的请求量`),
    link: 'mechanism',
    cites: ['rate'],
  } as const
  const rise = detectOnset(points, moreRequests)
  if (rise === null) return { ...base, score: 0, agrees: [], because: levelText(points, symptoms.onset, say) }
  const change = say(
    `the request rate rose from ${formatValue(rise.before)}/s to ${formatValue(rise.after)}/s at ${formatTime(rise.onset)}`,
    `QPS 在 ${formatTime(rise.onset)} 从 ${formatValue(rise.before)} 升至 ${formatValue(rise.after)}`,
  )
  if (symptoms.onset === null)
    return {
      ...base,
      score: 0,
      agrees: [],
      because: say(`${change}, and nothing got worse.`, `${change}，但没有指标变差。`),
    }
  if (rise.onset > symptoms.onset + 2 * facts.stepSeconds) {
    return {
      ...base,
      cites: ['rate', 'latency', 'errors', 'logs'],
      score: 0,
      agrees: [],
      because: say(
        `${change}, after the onset at ${formatTime(symptoms.onset)}.`,
        `${change}，晚于异常开始的 ${formatTime(symptoms.onset)}。`,
      ),
    }
  }
  const together = coincide(rise.onset, symptoms.onset, facts.stepSeconds)
  const logged = symptoms.errorSurges.some(
    ({ pattern, onset }) => aboutLoad.test(pattern.example) && coincide(onset, rise.onset, facts.stepSeconds),
  )
  return {
    ...base,
    score: (together ? 5 : 4) + (logged ? 1 : 0),
    agrees: [...(together ? (['metric'] as const) : []), ...(logged ? (['log'] as const) : [])],
    because: say(`${change}, no later than the symptoms.`, `${change}，不晚于异常出现。`),
    cites: ['rate', 'latency', 'errors', 'cpu'],
  }
}

function levelText(points: readonly Point[], onset: number | null, say: Say): string {
  const before = points.filter(([time]) => onset === null || time < onset).map(([, value]) => value)
  const after = points.filter(([time]) => onset !== null && time >= onset).map(([, value]) => value)
  if (before.length === 0 || after.length === 0) {
    return say(
      `the request rate did not rise, its middle value was ${formatValue(middleOf(points.map(([, value]) => value)))}/s.`,
      `QPS 没有明显增长，中位值为 ${formatValue(middleOf(points.map(([, value]) => value)))}。`,
    )
  }
  return say(
    `the request rate did not rise, it was ${formatValue(middleOf(before))}/s before the onset and ${formatValue(middleOf(after))}/s after it.`,
    `QPS 没有明显增长，异常开始前为 ${formatValue(middleOf(before))}，之后为 ${formatValue(middleOf(after))}。`,
  )
}
