import { sayIn } from '../../report/index.ts'
import type { Facts } from '../facts/facts.ts'
import { detectOnset, type Rise, type RiseLimits } from '../series/detect-onset.ts'
import { moreFailures, slower } from '../series/rise-limits.ts'
import type { Point } from '../series/series.ts'
import type { ErrorSurge } from './find-error-surges.ts'
import { findErrorSurges } from './find-error-surges.ts'

/** How far back every rate looks that the planner asks for. */
const rateSeconds = 300

/** What users felt and since when. `onset` is the earliest sign in seconds, `null` when there is none. */
export type Symptoms = {
  readonly latency: Rise | null
  readonly errorRatio: Rise | null
  readonly errorSurges: readonly ErrorSurge[]
  readonly onset: number | null
  /** Whether the onset stands in a metric, or in log lines alone. */
  readonly onsetFrom: 'metric' | 'log' | 'none'
}

/** Finds the signs of an incident in latency, error ratio and error lines. */
export function findSymptoms(facts: Facts): Symptoms {
  const latency = lastingRise(facts.latency?.value ?? [], slower, facts.stepSeconds)
  const errorRatio = lastingRise(facts.errorRatio?.value ?? [], moreFailures, facts.stepSeconds)
  const errorSurges =
    facts.errorLogs === null || facts.window === null ? [] : findErrorSurges(facts.errorLogs.value, facts.window)
  const measured = [latency, errorRatio].flatMap((rise) => (rise === null ? [] : [rise.onset]))
  const logged = errorSurges.map(({ onset }) => onset)
  const onset = earliest(measured) ?? earliest(logged)
  const onsetFrom = measured.length > 0 ? 'metric' : logged.length > 0 ? 'log' : 'none'
  return { latency, errorRatio, errorSurges, onset, onsetFrom }
}

/** Which of the sources that can show a symptom were read, by their names. */
export function symptomSources(facts: Facts): { readonly read: readonly string[]; readonly unread: readonly string[] } {
  const say = sayIn(facts.language)
  const sources = [
    { name: say('P95 latency', 'P95 延迟'), source: facts.latency },
    { name: say('error ratio', '错误率'), source: facts.errorRatio },
    { name: say('error logs', '错误日志'), source: facts.errorLogs },
  ]
  return {
    read: sources.filter(({ source }) => source !== null).map(({ name }) => name),
    unread: sources.filter(({ source }) => source === null).map(({ name }) => name),
  }
}

/** The rise of a series, `null` when one bad moment explains it: every rate that covers the moment is raised by it. */
function lastingRise(points: readonly Point[], limits: RiseLimits, stepSeconds: number): Rise | null {
  const rise = detectOnset(points, limits)
  if (rise === null) return null
  const raised = points.filter(([, value]) => value > (rise.before + rise.after) / 2)
  const last = raised.at(-1)?.[0] ?? rise.onset
  const isOver = last < (points.at(-3)?.[0] ?? 0)
  return isOver && last - rise.onset <= rateSeconds + 2 * stepSeconds ? null : rise
}

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.min(...times)
}
