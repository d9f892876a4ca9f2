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
  const base = {
    cause: 'traffic_surge',
    subject: `request rate of ${facts.service}`,
    link: 'mechanism',
    cites: ['rate'],
  } as const
  const rise = detectOnset(points, moreRequests)
  if (rise === null) return { ...base, score: 0, agrees: [], because: levelText(points, symptoms.onset) }
  const change = `the request rate rose from ${formatValue(rise.before)}/s to ${formatValue(rise.after)}/s at ${formatTime(rise.onset)}`
  if (symptoms.onset === null) return { ...base, score: 0, agrees: [], because: `${change}, and nothing got worse.` }
  if (rise.onset > symptoms.onset + 2 * facts.stepSeconds) {
    return { ...base, score: 0, agrees: [], because: `${change}, after the onset at ${formatTime(symptoms.onset)}.` }
  }
  const together = coincide(rise.onset, symptoms.onset, facts.stepSeconds)
  const logged = symptoms.errorSurges.some(
    ({ pattern, onset }) => aboutLoad.test(pattern.example) && coincide(onset, rise.onset, facts.stepSeconds),
  )
  return {
    ...base,
    score: (together ? 5 : 4) + (logged ? 1 : 0),
    agrees: [...(together ? (['metric'] as const) : []), ...(logged ? (['log'] as const) : [])],
    because: `${change}, no later than the symptoms.`,
    cites: ['rate', 'latency', 'errors', 'cpu'],
  }
}

function levelText(points: readonly Point[], onset: number | null): string {
  const before = points.filter(([time]) => onset === null || time < onset).map(([, value]) => value)
  const after = points.filter(([time]) => onset !== null && time >= onset).map(([, value]) => value)
  if (before.length === 0 || after.length === 0) {
    return `the request rate did not rise, its middle value was ${formatValue(middleOf(points.map(([, value]) => value)))}/s.`
  }
  return `the request rate did not rise, it was ${formatValue(middleOf(before))}/s before the onset and ${formatValue(middleOf(after))}/s after it.`
}
