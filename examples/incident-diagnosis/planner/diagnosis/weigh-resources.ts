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
  const metrics = [
    { key: 'cpu', name: 'CPU', points: facts.cpu?.value },
    { key: 'memory', name: 'memory', points: facts.memory?.value },
  ] as const
  const measured = metrics.filter(({ points }) => points !== undefined)
  if (measured.length === 0 && facts.pods === null) return null
  const subject = `pods of ${facts.service}`
  const full = measured.filter(({ points }) => exhaustedAtOnset(points ?? [], symptoms.onset, facts.stepSeconds))
  const killed = killedPods(facts, symptoms.onset)
  if (symptoms.onset === null || (full.length === 0 && killed.length === 0)) {
    const levels = measured.map(
      ({ name, points }) => `${name} stayed at or below ${formatValue(peakOf(points ?? [])?.[1] ?? 0)} of its limit`,
    )
    const pods = facts.pods === null ? [] : ['no pod was killed for its resources at the onset']
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
      because: `${[...levels, ...pods].join(', ')}.`,
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
    ...full.map(({ name, points }) => `${name} reached ${formatValue(peakOf(points ?? [])?.[1] ?? 0)} of its limit`),
    ...killed.map(({ name, reason, at }) => `${name} was restarted (${reason}) at ${formatTime(at)}`),
  ]
  return {
    cause: 'resource_exhaustion',
    subject,
    score: 3 + agrees.length,
    agrees,
    link: 'mechanism',
    because: `${reasons.join(', ')}.`,
    cites: ['cpu', 'memory', 'pods', 'logs'],
  }
}

function exhaustedAtOnset(points: readonly Point[], onset: number | null, stepSeconds: number): boolean {
  if (onset === null) return false
  const full = points.filter(([, value]) => value >= nearLimit)
  const first = full[0]
  return first !== undefined && full.length >= 3 && first[0] <= onset + 2 * stepSeconds
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
