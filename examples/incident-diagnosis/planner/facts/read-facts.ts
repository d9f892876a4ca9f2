import type { z } from 'zod'
import {
  alertResult,
  deploymentsResult,
  logResult,
  metricResult,
  podsResult,
  runbooksResult,
} from '../../tools/index.ts'
import { stepOf } from '../collection-calls.ts'
import type { Outcome } from '../conversation.ts'
import type { Facts, LogFacts, Read, UpstreamFact } from './facts.ts'
import { gapSentences, type Gap } from './gap-sentences.ts'
import { readOutcome } from './read-outcome.ts'
import type { Window } from '../prompt/read-window.ts'
import type { Point } from '../series/series.ts'

const fewestPoints = 6

type Outcomes = ReadonlyMap<string, Outcome>
type Scope = { readonly service: string; readonly window: Window | null }
type Metric = z.output<typeof metricResult>

/**
 * Turns what the calls gave into facts; everything that could not be read is named in `gaps`. What was not asked for is
 * no gap here: the caller knows why it did not ask.
 */
export function readFacts(outcomes: Outcomes, scope: Scope): Facts {
  const gaps: Gap[] = []
  const fromSource = <TValue extends { readonly source: 'present' | 'missing' }>(
    id: string,
    name: string,
    schema: z.ZodType<TValue>,
  ): Read<TValue> | null => {
    const reading = readOutcome(outcomes.get(id), schema)
    if (reading.kind === 'read' && reading.read.value.source === 'present') return reading.read
    const reason = reading.kind === 'gap' ? reading.reason : 'the source is missing'
    if (outcomes.has(id)) gaps.push({ name, reason })
    return null
  }
  const metric = (id: string, name: string): Read<readonly Point[]> | null => {
    const read = readMetric(outcomes, { id, name, gaps })
    if (read === null) return null
    const points = pointsOf(read.value.series[0])
    if (points.length >= fewestPoints) return { value: points, uri: read.uri }
    const amount = points.length === 0 ? 'no values' : 'too few values'
    gaps.push({ name, reason: `${amount} for ${scope.service} in the window` })
    return null
  }
  const alert = fromSource('alert', 'Alert', alertResult)
  if (alert !== null && alert.value.alert === null) gaps.push({ name: 'Alert', reason: `${scope.service} has none` })
  const latency = metric('latency', 'P95 latency')
  const requestRate = metric('request-rate', 'Request rate')
  const deployments = fromSource('deployments', 'Deployments', deploymentsResult)
  const pods = fromSource('pods', 'Pods', podsResult)
  if (pods?.value.total === 0) gaps.push({ name: 'Pods', reason: `none is listed for ${scope.service}` })
  return {
    ...scope,
    stepSeconds: scope.window === null ? 60 : stepOf(scope.window),
    alert: alert === null || alert.value.alert === null ? null : { value: alert.value.alert, uri: alert.uri },
    latency,
    requestRate,
    errorRatio: requestRate === null ? metric('error-ratio', 'Error ratio') : readErrorRatio(outcomes, gaps),
    cpu: metric('cpu', 'CPU'),
    memory: metric('memory', 'Memory'),
    databaseInUse: metric('database-in-use', 'Database connections in use'),
    databaseMax: metric('database-max', 'Database connection limit'),
    upstreams: readUpstreams(outcomes, scope.service, gaps),
    upstreamsOwn: readUpstreamsOwn(outcomes, gaps),
    errorLogs: readLogs(outcomes, scope.service, gaps),
    pods: pods === null || pods.value.total === 0 ? null : pods,
    deployments: deployments === null ? null : { value: deployments.value.deployments, uri: deployments.uri },
    runbooks: readRunbooks(outcomes, gaps),
    gaps: gapSentences(gaps),
  }
}

function readMetric(
  outcomes: Outcomes,
  wanted: { readonly id: string; readonly name: string; readonly gaps: Gap[] },
): Read<Metric> | null {
  const reading = readOutcome(outcomes.get(wanted.id), metricResult)
  if (reading.kind === 'read') return reading.read
  if (outcomes.has(wanted.id)) wanted.gaps.push({ name: wanted.name, reason: reading.reason })
  return null
}

function pointsOf(series: Metric['series'][number] | undefined): readonly Point[] {
  return (series?.points ?? []).flatMap(([time, value]): readonly Point[] => (value === null ? [] : [[time, value]]))
}

function readErrorRatio(outcomes: Outcomes, gaps: Gap[]): Read<readonly Point[]> | null {
  const read = readMetric(outcomes, { id: 'error-ratio', name: 'Error ratio', gaps })
  // Requests are counted, so no series of failed ones means that none failed.
  return read === null ? null : { value: pointsOf(read.value.series[0]), uri: read.uri }
}

function readUpstreams(outcomes: Outcomes, service: string, gaps: Gap[]): Read<readonly UpstreamFact[]> | null {
  const read = readMetric(outcomes, { id: 'upstreams', name: 'Upstream latency', gaps })
  if (read === null) return null
  const upstreams = seriesByLabel(read.value, 'upstream')
  if (upstreams.length > 0) return { value: upstreams, uri: read.uri }
  gaps.push({ name: 'Upstream latency', reason: `no values for ${service} in the window` })
  return null
}

function readUpstreamsOwn(outcomes: Outcomes, gaps: Gap[]): Read<readonly UpstreamFact[]> | null {
  if (!outcomes.has('upstreams-own')) return null
  const read = readMetric(outcomes, {
    id: 'upstreams-own',
    name: 'Latency of the upstreams by their own measure',
    gaps,
  })
  const own = read === null ? [] : seriesByLabel(read.value, 'service')
  return read === null || own.length === 0 ? null : { value: own, uri: read.uri }
}

function seriesByLabel(metric: Metric, label: string): readonly UpstreamFact[] {
  return metric.series
    .map((series) => ({ name: series.labels[label] ?? '', points: pointsOf(series) }))
    .filter(({ name, points }) => name !== '' && points.length >= fewestPoints)
}

function readLogs(outcomes: Outcomes, service: string, gaps: Gap[]): Read<LogFacts> | null {
  const errors = readOutcome(outcomes.get('error-logs'), logResult)
  if (errors.kind === 'gap') {
    if (outcomes.has('error-logs')) gaps.push({ name: 'Error logs', reason: errors.reason })
    return null
  }
  if (errors.read.value.truncated)
    gaps.push({ name: 'Error logs', reason: 'only the oldest lines of the window were read' })
  if (errors.read.value.matched > 0) return errors.read
  const all = readOutcome(outcomes.get('all-logs'), logResult)
  if (all.kind === 'read' && all.read.value.matched > 0) return errors.read
  gaps.push({
    name: 'Error logs',
    reason: `no log line of any level for ${service} in the window; the source is missing or empty`,
  })
  return null
}

function readRunbooks(outcomes: Outcomes, gaps: Gap[]): Facts['runbooks'] {
  const reading = readOutcome(outcomes.get('runbooks'), runbooksResult)
  if (reading.kind === 'read' && reading.read.value.runbooks.length > 0) {
    return { value: reading.read.value.runbooks, uri: reading.read.uri }
  }
  const missing = reading.kind === 'read' && reading.read.value.source === 'missing'
  const reason = reading.kind === 'gap' ? reading.reason : missing ? 'the source is missing' : 'none fits'
  if (outcomes.has('runbooks')) gaps.push({ name: 'Runbooks', reason })
  return null
}
