import type { EvidenceEntry } from '../../report/index.ts'
import { formatTime, parseTime } from '../../sources/index.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import type { EvidenceKey } from '../diagnosis/hypothesis.ts'
import { troubledPartsOf } from '../diagnosis/weigh-deployments.ts'
import type { Facts, Read } from '../facts/facts.ts'
import { detectOnset, type Rise } from '../series/detect-onset.ts'
import { formatValue } from '../series/format-value.ts'
import { moreRequests, slower } from '../series/rise-limits.ts'
import { middleOf, peakOf, type Point } from '../series/series.ts'

/** An entry of the evidence before it has an id. */
export type KeyedEvidence = { readonly key: EvidenceKey } & Omit<EvidenceEntry, 'id'>

/** Says what each source that was read showed. Every number and id stands in the result the entry points to. */
export function gatherEvidence(facts: Facts, diagnosis: Diagnosis): readonly KeyedEvidence[] {
  const { symptoms } = diagnosis
  const entries: (KeyedEvidence | null)[] = [
    alertEvidence(facts),
    metricEvidence(
      'latency',
      facts.latency,
      levelStatement(facts.latency, symptoms.latency, { name: 'P95 latency', unit: ' s' }),
    ),
    errorEvidence(facts, symptoms.errorRatio),
    upstreamEvidence('upstreams', facts.upstreams, (name) => `P95 of calls to ${name}`),
    upstreamEvidence('upstreams-own', facts.upstreamsOwn, (name) => `P95 of ${name} by its own measure`),
    logEvidence(facts, diagnosis),
    deploymentEvidence(facts, diagnosis),
    metricEvidence(
      'rate',
      facts.requestRate,
      levelStatement(facts.requestRate, detectOnset(facts.requestRate?.value ?? [], moreRequests), {
        name: 'Request rate',
        unit: '/s',
      }),
    ),
    metricEvidence('cpu', facts.cpu, peakStatement(facts.cpu, 'CPU of the busiest pod')),
    metricEvidence('memory', facts.memory, peakStatement(facts.memory, 'Memory of the fullest pod')),
    databaseEvidence(facts),
    databaseLimitEvidence(facts),
    podEvidence(facts),
    runbookEvidence(facts),
  ]
  return entries.filter((entry) => entry !== null)
}

function alertEvidence(facts: Facts): KeyedEvidence | null {
  if (facts.alert === null) return null
  const { id, metric, from, to, startedAt, severity } = facts.alert.value
  const change = from === null || to === null ? '' : ` from ${from} to ${to}`
  const statement = `Alert ${id} (${severity}): ${metric}${change}, started at ${startedAt}.`
  return { key: 'alert', kind: 'alert', uri: facts.alert.uri, statement }
}

function metricEvidence(key: EvidenceKey, read: Read<unknown> | null, statement: string): KeyedEvidence | null {
  return read === null ? null : { key, kind: 'metric', uri: read.uri, statement }
}

function levelStatement(
  read: Read<readonly Point[]> | null,
  rise: Rise | null,
  words: { readonly name: string; readonly unit: string },
): string {
  const { name, unit } = words
  if (rise !== null) {
    return `${name} rose from ${formatValue(rise.before)}${unit} to ${formatValue(rise.after)}${unit} at ${formatTime(rise.onset)}.`
  }
  return `${name} kept its level, around ${formatValue(middleOf((read?.value ?? []).map(([, value]) => value)))}${unit}.`
}

function peakStatement(read: Read<readonly Point[]> | null, name: string): string {
  return `${name} was at most ${formatValue(peakOf(read?.value ?? [])?.[1] ?? 0)} of its limit.`
}

function errorEvidence(facts: Facts, rise: Rise | null): KeyedEvidence | null {
  const { errorRatio } = facts
  if (errorRatio === null) return null
  const statement =
    errorRatio.value.length === 0
      ? 'No request failed with a server error in the window.'
      : levelStatement(errorRatio, rise, { name: 'Ratio of failed requests', unit: '' })
  return metricEvidence('errors', errorRatio, statement)
}

function upstreamEvidence(
  key: EvidenceKey,
  upstreams: Facts['upstreams'],
  nameOf: (upstream: string) => string,
): KeyedEvidence | null {
  if (upstreams === null) return null
  const statements = upstreams.value.map(({ name, points }) =>
    levelStatement({ value: points, uri: upstreams.uri }, detectOnset(points, slower), {
      name: nameOf(name),
      unit: ' s',
    }),
  )
  return metricEvidence(key, upstreams, statements.join(' '))
}

function logEvidence(facts: Facts, diagnosis: Diagnosis): KeyedEvidence | null {
  const { errorLogs } = facts
  if (errorLogs === null) return null
  const surges = diagnosis.symptoms.errorSurges.slice(0, 2)
  const statement =
    surges.length > 0
      ? surges
          .map(
            ({ pattern }) => `${pattern.count} error lines like “${pattern.example}”, first at ${pattern.firstSeen}.`,
          )
          .join(' ')
      : `${errorLogs.value.matched} error lines in the window, none of a kind that set in or multiplied.`
  return { key: 'logs', kind: 'log', uri: errorLogs.uri, statement }
}

function deploymentEvidence(facts: Facts, diagnosis: Diagnosis): KeyedEvidence | null {
  const { deployments } = facts
  if (deployments === null) return null
  const suspects = [diagnosis.leading, ...diagnosis.rivals].map(({ subject }) => subject)
  const own = deployments.value.filter(({ service }) => service === facts.service)
  const told = own.filter(({ id }) => suspects.includes(id))
  const shown = told.length > 0 ? told : own.slice(-2)
  const statement =
    shown.length === 0
      ? `No deployment of ${facts.service} before or in the window.`
      : shown
          .map((deployment) => {
            const parts = troubledPartsOf(deployment, facts, diagnosis.symptoms)
            const telling =
              deployment.changes.find((change) => parts.some((part) => change.includes(part))) ?? deployment.changes[0]
            const change = telling === undefined ? '' : ` Changes include: ${telling}`
            return `${deployment.id} (${deployment.kind}, version ${deployment.version}) finished at ${deployment.finishedAt}.${change}`
          })
          .join(' ')
  return { key: 'deployments', kind: 'deployment', uri: deployments.uri, statement }
}

function databaseEvidence(facts: Facts): KeyedEvidence | null {
  const peak = peakOf(facts.databaseInUse?.value ?? [])
  if (peak === undefined) return null
  const statement = `At most ${formatValue(peak[1])} database connections were in use, at ${formatTime(peak[0])}.`
  return metricEvidence('database', facts.databaseInUse, statement)
}

function databaseLimitEvidence(facts: Facts): KeyedEvidence | null {
  const limit = facts.databaseMax?.value.at(-1)?.[1]
  if (limit === undefined) return null
  return metricEvidence(
    'database-limit',
    facts.databaseMax,
    `The limit was ${formatValue(limit)} database connections.`,
  )
}

function podEvidence(facts: Facts): KeyedEvidence | null {
  if (facts.pods === null) return null
  const { total, ready, pods } = facts.pods.value
  const { window } = facts
  const restarted = pods.filter(({ lastRestartAt }) => {
    const at = parseTime(lastRestartAt ?? '')
    return at !== null && window !== null && at >= window.start && at <= window.end
  })
  const restarts =
    restarted.length === 0
      ? 'none was restarted in the window'
      : restarted
          .map(
            ({ name, lastRestartAt, lastRestartReason }) =>
              `${name} was restarted at ${lastRestartAt} (${lastRestartReason ?? 'no reason recorded'})`,
          )
          .join(', ')
  return {
    key: 'pods',
    kind: 'pod',
    uri: facts.pods.uri,
    statement: `${ready} of ${total} pods are ready, ${restarts}.`,
  }
}

function runbookEvidence(facts: Facts): KeyedEvidence | null {
  const best = facts.runbooks?.value[0]
  if (facts.runbooks === null || best === undefined) return null
  return {
    key: 'runbook',
    kind: 'runbook',
    uri: facts.runbooks.uri,
    statement: `The runbook “${best.title}” (${best.file}) fits.`,
  }
}
