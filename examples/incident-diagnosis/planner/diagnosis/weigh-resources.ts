import { sayIn } from '../../report/index.ts'
import { formatTime, parseTime } from '../../sources/index.ts'
import type { Facts } from '../facts/facts.ts'
import { formatValue } from '../series/format-value.ts'
import { peakOf, type Point } from '../series/series.ts'
import type { Symptoms } from './find-symptoms.ts'
import type { EvidenceKey, Hypothesis, TimedKind } from './hypothesis.ts'

const nearLimit = 0.9
const lookBackSteps = 10
const aboutResources = /\b(?:OOM\w*|out.?of.?memory|heap space|no space left|throttl\w*)\b/i

/** Weighs CPU, memory and restarts of the pods: exhausted when close to the limit, or killed for it, at the onset. */
export function weighResources(facts: Facts, symptoms: Symptoms): Hypothesis | null {
  const say = sayIn(facts.language)
  const metrics = [
    { key: 'cpu', name: 'CPU', points: facts.cpu?.value },
    { key: 'memory', name: say('memory', '内存'), points: facts.memory?.value },
  ] as const
  const measured = metrics.filter(({ points }) => points !== undefined)
  if (measured.length === 0 && facts.pods === null) return null
  const subject = say(`pods of ${facts.service}`, `${facts.service} 的 Pod`)
  const full = measured.filter(({ points }) => exhaustedAtOnset(points ?? [], symptoms.onset, facts.stepSeconds))
  const killed = killedPods(facts, symptoms.onset)
  if (symptoms.onset === null || (full.length === 0 && killed.length === 0)) {
    const levels = measured.map(({ name, points }) =>
      say(
        `${name} stayed at or below ${formatValue(peakOf(points ?? [])?.[1] ?? 0)} of its limit`,
        `${name} 最高只用到上限的 ${formatValue(peakOf(points ?? [])?.[1] ?? 0)}`,
      ),
    )
    const pods =
      facts.pods === null
        ? []
        : [say('no pod was killed for its resources at the onset', '异常开始时没有 Pod 因资源被终止')]
    const cites: readonly EvidenceKey[] = [
      ...measured.map(({ key }) => key),
      ...(facts.pods === null ? [] : (['pods'] as const)),
    ]
    return {
      cause: 'resource_exhaustion',
      subject,
      score: 0,
      agrees: [],
      link: 'mechanism',
      because: say(`${[...levels, ...pods].join(', ')}.`, `${[...levels, ...pods].join('，')}。`),
      cites,
    }
  }
  const logged = symptoms.errorSurges.some(({ pattern }) => aboutResources.test(pattern.example))
  const agrees: readonly TimedKind[] = [
    ...(full.length > 0 ? (['metric'] as const) : []),
    ...(killed.length > 0 ? (['pod'] as const) : []),
    ...(logged ? (['log'] as const) : []),
  ]
  const reasons = [
    ...full.map(({ name, points }) =>
      say(
        `${name} reached ${formatValue(peakOf(points ?? [])?.[1] ?? 0)} of its limit`,
        `${name} 用到上限的 ${formatValue(peakOf(points ?? [])?.[1] ?? 0)}`,
      ),
    ),
    ...killed.map(({ name, reason, at }) =>
      say(`${name} was restarted (${reason}) at ${formatTime(at)}`, `${name} 在 ${formatTime(at)} 重启（${reason}）`),
    ),
  ]
  return {
    cause: 'resource_exhaustion',
    subject,
    score: 4 + agrees.length,
    agrees,
    link: 'mechanism',
    because: say(`${reasons.join(', ')}.`, `${reasons.join('，')}。`),
    cites: ['cpu', 'memory', 'pods', 'logs'],
  }
}

function exhaustedAtOnset(points: readonly Point[], onset: number | null, stepSeconds: number): boolean {
  if (onset === null) return false
  const full = points.filter(([, value]) => value >= nearLimit)
  const first = full[0]
  // What was full from the beginning did not become full with the symptoms.
  const rose = points.slice(0, 3).some(([, value]) => value < nearLimit)
  return first !== undefined && rose && full.length >= 3 && first[0] <= onset + 2 * stepSeconds
}

function killedPods(
  facts: Facts,
  onset: number | null,
): readonly { readonly name: string; readonly reason: string; readonly at: number }[] {
  if (onset === null || facts.pods === null) return []
  return facts.pods.value.pods.flatMap(({ name, lastRestartAt, lastRestartReason }) => {
    const at = parseTime(lastRestartAt ?? '')
    const early = onset - lookBackSteps * facts.stepSeconds
    const inTime = at !== null && at >= early && (facts.window === null || at <= facts.window.end)
    return inTime && aboutResources.test(lastRestartReason ?? '') ? [{ name, reason: lastRestartReason ?? '', at }] : []
  })
}
