import type { Facts } from '../facts/facts.ts'
import { detectOnset, type Rise } from '../series/detect-onset.ts'
import { moreFailures, slower } from '../series/rise-limits.ts'
import type { ErrorSurge } from './find-error-surges.ts'
import { findErrorSurges } from './find-error-surges.ts'

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
  const latency = detectOnset(facts.latency?.value ?? [], slower)
  const errorRatio = detectOnset(facts.errorRatio?.value ?? [], moreFailures)
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
  const sources = [
    { name: 'P95 latency', source: facts.latency },
    { name: 'error ratio', source: facts.errorRatio },
    { name: 'error logs', source: facts.errorLogs },
  ]
  return {
    read: sources.filter(({ source }) => source !== null).map(({ name }) => name),
    unread: sources.filter(({ source }) => source === null).map(({ name }) => name),
  }
}

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.min(...times)
}
