import type { z } from 'zod'
import { sayIn, type Language, type Say } from '../../report/index.ts'
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
import { sourceName } from './source-name.ts'
import { readOutcome } from './read-outcome.ts'
import type { Window } from '../prompt/stated-window.ts'
import type { Point } from '../series/series.ts'

const fewestPoints = 6

type Outcomes = ReadonlyMap<string, Outcome>
type Scope = { readonly service: string; readonly window: Window | null; readonly language: Language }
/** Where reading writes down what is lacking, and in which words. */
type Reader = { readonly outcomes: Outcomes; readonly gaps: Gap[]; readonly scope: Scope; readonly say: Say }
type Metric = z.output<typeof metricResult>

/**
 * Turns what the calls gave into facts; everything that could not be read is named in `gaps`. What was not asked for is
 * no gap here: the caller knows why it did not ask.
 */
export function readFacts(outcomes: Outcomes, scope: Scope): Facts {
  const { service, window, language } = scope
  const gaps: Gap[] = []
  const say = sayIn(language)
  const reader: Reader = { outcomes, gaps, scope, say }
  const alert = readSource(reader, 'alert', alertResult)
  if (alert !== null && alert.value.alert === null) {
    addGap(reader, 'alert', say(`${service} has none`, `${service} 没有告警`))
  }
  const latency = readSeries(reader, 'latency')
  const requestRate = readSeries(reader, 'request-rate')
  const deployments = readSource(reader, 'deployments', deploymentsResult)
  const pods = readSource(reader, 'pods', podsResult)
  if (pods?.value.total === 0) {
    addGap(reader, 'pods', say(`none is listed for ${service}`, `没有列出 ${service} 的 Pod`))
  }
  const facts: Omit<Facts, 'gaps'> = {
    ...scope,
    stepSeconds: window === null ? 60 : stepOf(window),
    alert: alert === null || alert.value.alert === null ? null : { value: alert.value.alert, uri: alert.uri },
    latency,
    requestRate,
    errorRatio: requestRate === null ? readSeries(reader, 'error-ratio') : readErrorRatio(reader),
    cpu: readSeries(reader, 'cpu'),
    memory: readSeries(reader, 'memory'),
    databaseInUse: readSeries(reader, 'database-in-use'),
    databaseMax: readSeries(reader, 'database-max'),
    upstreams: readUpstreams(reader),
    upstreamsOwn: readUpstreamsOwn(reader),
    errorLogs: readLogs(reader),
    pods: pods === null || pods.value.total === 0 ? null : pods,
    deployments: deployments === null ? null : { value: deployments.value.deployments, uri: deployments.uri },
    runbooks: readRunbooks(reader),
  }
  return { ...facts, gaps: gapSentences(gaps, language) }
}

function addGap({ gaps, scope }: Reader, id: string, reason: string): void {
  gaps.push({ name: sourceName(id, scope.language), reason })
}

function readSource<TValue extends { readonly source: 'present' | 'missing' }>(
  reader: Reader,
  id: string,
  schema: z.ZodType<TValue>,
): Read<TValue> | null {
  const { outcomes, scope, say } = reader
  const reading = readOutcome(outcomes.get(id), schema, scope.language)
  if (reading.kind === 'read' && reading.read.value.source === 'present') return reading.read
  const reason = reading.kind === 'gap' ? reading.reason : say('the source is missing', '数据源缺失')
  if (outcomes.has(id)) addGap(reader, id, reason)
  return null
}

function readSeries(reader: Reader, id: string): Read<readonly Point[]> | null {
  const read = readMetric(reader, id)
  if (read === null) return null
  const points = pointsOf(read.value.series[0])
  if (points.length >= fewestPoints) return { value: points, uri: read.uri }
  const { say, scope } = reader
  const amount = points.length === 0 ? say('no values', '没有') : say('too few values', '只有过少的')
  addGap(reader, id, say(`${amount} for ${scope.service} in the window`, `窗口内${amount} ${scope.service} 的数值`))
  return null
}

function readMetric(reader: Reader, id: string): Read<Metric> | null {
  const { outcomes, scope } = reader
  const reading = readOutcome(outcomes.get(id), metricResult, scope.language)
  if (reading.kind === 'read') return reading.read
  if (outcomes.has(id)) addGap(reader, id, reading.reason)
  return null
}

function pointsOf(series: Metric['series'][number] | undefined): readonly Point[] {
  return (series?.points ?? []).flatMap(([time, value]): readonly Point[] => (value === null ? [] : [[time, value]]))
}

function readErrorRatio(reader: Reader): Read<readonly Point[]> | null {
  const read = readMetric(reader, 'error-ratio')
  // Requests are counted, so no series of failed ones means that none failed.
  return read === null ? null : { value: pointsOf(read.value.series[0]), uri: read.uri }
}

function readUpstreams(reader: Reader): Read<readonly UpstreamFact[]> | null {
  const read = readMetric(reader, 'upstreams')
  if (read === null) return null
  const upstreams = seriesByLabel(read.value, 'upstream')
  if (upstreams.length > 0) return { value: upstreams, uri: read.uri }
  const { service } = reader.scope
  addGap(reader, 'upstreams', reader.say(`no values for ${service} in the window`, `窗口内没有 ${service} 的数值`))
  return null
}

function readUpstreamsOwn(reader: Reader): Read<readonly UpstreamFact[]> | null {
  if (!reader.outcomes.has('upstreams-own')) return null
  const read = readMetric(reader, 'upstreams-own')
  const own = read === null ? [] : seriesByLabel(read.value, 'service')
  return read === null || own.length === 0 ? null : { value: own, uri: read.uri }
}

function seriesByLabel(metric: Metric, label: string): readonly UpstreamFact[] {
  return metric.series
    .map((series) => ({ name: series.labels[label] ?? '', points: pointsOf(series) }))
    .filter(({ name, points }) => name !== '' && points.length >= fewestPoints)
}

function readLogs(reader: Reader): Read<LogFacts> | null {
  const { outcomes, scope, say } = reader
  const errors = readOutcome(outcomes.get('error-logs'), logResult, scope.language)
  if (errors.kind === 'gap') {
    if (outcomes.has('error-logs')) addGap(reader, 'error-logs', errors.reason)
    return null
  }
  if (errors.read.value.truncated) {
    addGap(reader, 'error-logs', say('only the oldest lines of the window were read', '只读取了窗口内最早的日志'))
  }
  if (errors.read.value.matched > 0) return errors.read
  const all = readOutcome(outcomes.get('all-logs'), logResult)
  if (all.kind === 'read' && all.read.value.matched > 0) return errors.read
  addGap(
    reader,
    'error-logs',
    say(
      `no log line of any level for ${scope.service} in the window; the source is missing or empty`,
      `窗口内没有 ${scope.service} 任何级别的日志；数据源缺失或为空`,
    ),
  )
  return null
}

function readRunbooks(reader: Reader): Facts['runbooks'] {
  const { outcomes, scope, say } = reader
  const reading = readOutcome(outcomes.get('runbooks'), runbooksResult, scope.language)
  if (reading.kind === 'read' && reading.read.value.runbooks.length > 0) {
    return { value: reading.read.value.runbooks, uri: reading.read.uri }
  }
  const missing = reading.kind === 'read' && reading.read.value.source === 'missing'
  const why = missing ? say('the source is missing', '数据源缺失') : say('none fits', '没有匹配的')
  if (outcomes.has('runbooks')) addGap(reader, 'runbooks', reading.kind === 'gap' ? reading.reason : why)
  return null
}
