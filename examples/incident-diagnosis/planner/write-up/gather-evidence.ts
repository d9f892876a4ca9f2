import { sayIn, type EvidenceEntry, type Say } from '../../report/index.ts'
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
  const say = sayIn(facts.language)
  const { symptoms } = diagnosis
  const entries: (KeyedEvidence | null)[] = [
    alertEvidence(facts),
    metricEvidence(
      'latency',
      facts.latency,
      levelStatement(facts.latency, symptoms.latency, {
        name: say('P95 latency', 'P95 延迟'),
        unit: say(' s', ' 秒'),
        say,
      }),
    ),
    errorEvidence(facts, symptoms.errorRatio),
    upstreamEvidence(
      'upstreams',
      facts.upstreams,
      (name) => say(`P95 of calls to ${name}`, `对 ${name} 调用的 P95 `),
      say,
    ),
    upstreamEvidence(
      'upstreams-own',
      facts.upstreamsOwn,
      (name) => say(`P95 of ${name} by its own measure`, `${name} 自身测得的 P95 `),
      say,
    ),
    logEvidence(facts, diagnosis),
    deploymentEvidence(facts, diagnosis),
    metricEvidence(
      'rate',
      facts.requestRate,
      levelStatement(facts.requestRate, detectOnset(facts.requestRate?.value ?? [], moreRequests), {
        name: say('Request rate', 'QPS '),
        unit: say('/s', ''),
        say,
      }),
    ),
    metricEvidence(
      'cpu',
      facts.cpu,
      peakStatement(facts.cpu, say('CPU of the busiest pod', '最忙的 Pod 的 CPU '), say),
    ),
    metricEvidence(
      'memory',
      facts.memory,
      peakStatement(facts.memory, say('Memory of the fullest pod', '内存最高的 Pod 的内存'), say),
    ),
    databaseEvidence(facts),
    databaseLimitEvidence(facts),
    podEvidence(facts),
    runbookEvidence(facts),
  ]
  return entries.filter((entry) => entry !== null)
}

function alertEvidence(facts: Facts): KeyedEvidence | null {
  if (facts.alert === null) return null
  const say = sayIn(facts.language)
  const { id, metric, from, to, startedAt, severity } = facts.alert.value
  const change = from === null || to === null ? '' : say(` from ${from} to ${to}`, `从 ${from} 到 ${to}`)
  const statement = say(
    `Alert ${id} (${severity}): ${metric}${change}, started at ${startedAt}.`,
    `告警 ${id}（${severity}）：${metric} ${change}，开始于 ${startedAt}。`,
  )
  return { key: 'alert', kind: 'alert', uri: facts.alert.uri, statement }
}

function metricEvidence(key: EvidenceKey, read: Read<unknown> | null, statement: string): KeyedEvidence | null {
  return read === null ? null : { key, kind: 'metric', uri: read.uri, statement }
}

function levelStatement(
  read: Read<readonly Point[]> | null,
  rise: Rise | null,
  words: { readonly name: string; readonly unit: string; readonly say: Say },
): string {
  const { name, unit, say } = words
  if (rise !== null) {
    return say(
      `${name} rose from ${formatValue(rise.before)}${unit} to ${formatValue(rise.after)}${unit} at ${formatTime(rise.onset)}.`,
      `${name}在 ${formatTime(rise.onset)} 从 ${formatValue(rise.before)}${unit} 升至 ${formatValue(rise.after)}${unit}。`,
    )
  }
  const level = formatValue(middleOf((read?.value ?? []).map(([, value]) => value)))
  return say(`${name} kept its level, around ${level}${unit}.`, `${name}保持平稳，约为 ${level}${unit}。`)
}

function peakStatement(read: Read<readonly Point[]> | null, name: string, say: Say): string {
  const peak = formatValue(peakOf(read?.value ?? [])?.[1] ?? 0)
  return say(`${name} was at most ${peak} of its limit.`, `${name}最高为上限的 ${peak}。`)
}

function errorEvidence(facts: Facts, rise: Rise | null): KeyedEvidence | null {
  const { errorRatio } = facts
  if (errorRatio === null) return null
  const say = sayIn(facts.language)
  const statement =
    errorRatio.value.length === 0
      ? say('No request failed with a server error in the window.', '窗口内没有请求因服务端错误失败。')
      : levelStatement(errorRatio, rise, { name: say('Ratio of failed requests', '错误率'), unit: '', say })
  return metricEvidence('errors', errorRatio, statement)
}

function upstreamEvidence(
  key: EvidenceKey,
  upstreams: Facts['upstreams'],
  nameOf: (upstream: string) => string,
  say: Say,
): KeyedEvidence | null {
  if (upstreams === null) return null
  const statements = upstreams.value.map(({ name, points }) =>
    levelStatement({ value: points, uri: upstreams.uri }, detectOnset(points, slower), {
      name: nameOf(name),
      unit: say(' s', ' 秒'),
      say,
    }),
  )
  return metricEvidence(key, upstreams, statements.join(' '))
}

function logEvidence(facts: Facts, diagnosis: Diagnosis): KeyedEvidence | null {
  const { errorLogs } = facts
  if (errorLogs === null) return null
  const say = sayIn(facts.language)
  const surges = diagnosis.symptoms.errorSurges.slice(0, 2)
  const statement =
    surges.length > 0
      ? surges
          .map(({ pattern }) =>
            say(
              `${pattern.count} error lines like “${pattern.example}”, first at ${pattern.firstSeen}.`,
              `错误日志中有 ${pattern.count} 行类似“${pattern.example}”，最早出现于 ${pattern.firstSeen}。`,
            ),
          )
          .join(' ')
      : say(
          `${errorLogs.value.matched} error lines in the window, none of a kind that set in or multiplied.`,
          `窗口内有 ${errorLogs.value.matched} 行错误日志，没有哪一类突然出现或增多。`,
        )
  return { key: 'logs', kind: 'log', uri: errorLogs.uri, statement }
}

function deploymentEvidence(facts: Facts, diagnosis: Diagnosis): KeyedEvidence | null {
  const { deployments } = facts
  if (deployments === null) return null
  const say = sayIn(facts.language)
  const suspects = [diagnosis.leading, ...diagnosis.rivals].map(({ subject }) => subject)
  const own = deployments.value.filter(({ service }) => service === facts.service)
  const told = own.filter(({ id }) => suspects.includes(id))
  const shown = told.length > 0 ? told : own.slice(-2)
  const statement =
    shown.length === 0
      ? say(
          `No deployment of ${facts.service} before or in the window.`,
          `窗口之前和之内没有 ${facts.service} 的部署。`,
        )
      : shown
          .map((deployment) => {
            const parts = troubledPartsOf(deployment, facts, diagnosis.symptoms)
            const telling =
              deployment.changes.find((change) => parts.some((part) => change.includes(part))) ?? deployment.changes[0]
            const change = telling === undefined ? '' : say(` Changes include: ${telling}`, `变更包括：${telling}`)
            return say(
              `${deployment.id} (${deployment.kind}, version ${deployment.version}) finished at ${deployment.finishedAt}.${change}`,
              `${deployment.id}（${deployment.kind}，版本 ${deployment.version}）在 ${deployment.finishedAt} 完成。${change}`,
            )
          })
          .join(' ')
  return { key: 'deployments', kind: 'deployment', uri: deployments.uri, statement }
}

function databaseEvidence(facts: Facts): KeyedEvidence | null {
  const peak = peakOf(facts.databaseInUse?.value ?? [])
  if (peak === undefined) return null
  const statement = sayIn(facts.language)(
    `At most ${formatValue(peak[1])} database connections were in use, at ${formatTime(peak[0])}.`,
    `数据库连接最多用到 ${formatValue(peak[1])} 个，时间为 ${formatTime(peak[0])}。`,
  )
  return metricEvidence('database', facts.databaseInUse, statement)
}

function databaseLimitEvidence(facts: Facts): KeyedEvidence | null {
  const limit = facts.databaseMax?.value.at(-1)?.[1]
  if (limit === undefined) return null
  return metricEvidence(
    'database-limit',
    facts.databaseMax,
    sayIn(facts.language)(
      `The limit was ${formatValue(limit)} database connections.`,
      `数据库连接上限为 ${formatValue(limit)} 个。`,
    ),
  )
}

function podEvidence(facts: Facts): KeyedEvidence | null {
  if (facts.pods === null) return null
  const say = sayIn(facts.language)
  const { total, ready, pods } = facts.pods.value
  const { window } = facts
  const restarted = pods.filter(({ lastRestartAt }) => {
    const at = parseTime(lastRestartAt ?? '')
    return at !== null && window !== null && at >= window.start && at <= window.end
  })
  const restarts =
    restarted.length === 0
      ? say('none was restarted in the window', '窗口内没有重启')
      : restarted
          .map(({ name, lastRestartAt, lastRestartReason }) =>
            say(
              `${name} was restarted at ${lastRestartAt} (${lastRestartReason ?? 'no reason recorded'})`,
              `${name} 在 ${lastRestartAt} 重启（${lastRestartReason ?? '没有记录原因'}）`,
            ),
          )
          .join(say(', ', '，'))
  return {
    key: 'pods',
    kind: 'pod',
    uri: facts.pods.uri,
    statement: say(
      `${ready} of ${total} pods are ready, ${restarts}.`,
      `${total} 个 Pod 中 ${ready} 个就绪，${restarts}。`,
    ),
  }
}

function runbookEvidence(facts: Facts): KeyedEvidence | null {
  const best = facts.runbooks?.value[0]
  if (facts.runbooks === null || best === undefined) return null
  return {
    key: 'runbook',
    kind: 'runbook',
    uri: facts.runbooks.uri,
    statement: sayIn(facts.language)(
      `The runbook “${best.title}” (${best.file}) fits.`,
      `Runbook“${best.title}”（${best.file}）适用。`,
    ),
  }
}
