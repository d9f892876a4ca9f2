import { causeName, type Conclusion } from '../../report/index.ts'
import { formatTime } from '../../sources/index.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import type { Facts } from '../facts/facts.ts'
import { formatValue } from '../series/format-value.ts'

/** The conclusion of a diagnosis in one or two sentences. */
export function conclude(facts: Facts, diagnosis: Diagnosis): Conclusion {
  const { leading, confidence } = diagnosis
  return { cause: leading.cause, subject: leading.subject, confidence, statement: statementOf(facts, diagnosis) }
}

function statementOf(facts: Facts, diagnosis: Diagnosis): string {
  const { leading, rivals } = diagnosis
  const { service } = facts
  switch (leading.cause) {
    case 'no_incident':
      return `No incident is visible in ${service}: ${leading.because}`
    case 'unknown':
      return `The cause of the incident in ${service} is unknown: ${leading.because}`
    default: {
      const named = rivals
        .slice(0, mostRivals)
        .map((rival) => `${causeName(rival.cause).toLowerCase()} (${rival.subject})`)
      const other = named.length === 0 ? '' : ` Not ruled out: ${named.join('; ')}.`
      return `${suspicion[diagnosis.confidence]} that ${accusation(diagnosis, service)}: ${symptomText(diagnosis)}; ${leading.because}${other}`
    }
  }
}

const mostRivals = 3

const suspicion = { high: 'Strong suspicion', medium: 'Suspicion', low: 'Weak suspicion' } as const

function accusation({ leading, symptoms }: Diagnosis, service: string): string {
  const regression = symptoms.latency === null ? 'error regression' : 'latency regression'
  switch (leading.cause) {
    case 'deployment':
    case 'config_change':
      return `${leading.subject} introduced the ${regression} of ${service}`
    case 'dependency_failure':
      return `${service} waits for ${leading.subject}, an upstream that got slow or hard to reach`
    case 'traffic_surge':
      return `a surge of traffic overloaded ${service}`
    case 'database_saturation':
      return `${service} ran out of database connections`
    case 'resource_exhaustion':
      return `the pods of ${service} ran out of CPU or memory`
    case 'no_incident':
    case 'unknown':
      return `nothing is wrong with ${service}`
    default:
      return leading.cause satisfies never
  }
}

function symptomText({ symptoms }: Diagnosis): string {
  const { latency, errorRatio, onset } = symptoms
  if (latency !== null) {
    return `P95 latency rose from ${formatValue(latency.before)} s to ${formatValue(latency.after)} s at ${formatTime(latency.onset)}`
  }
  if (errorRatio !== null) {
    return `the ratio of failed requests rose from ${formatValue(errorRatio.before)} to ${formatValue(errorRatio.after)} at ${formatTime(errorRatio.onset)}`
  }
  return onset === null ? 'no symptom was measured' : `error lines set in at ${formatTime(onset)}`
}
