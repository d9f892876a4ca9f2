import { sayIn, type NextAction } from '../../report/index.ts'
import { parseTime } from '../../sources/index.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import { symptomSources, type Symptoms } from '../diagnosis/find-symptoms.ts'
import type { DeploymentFact, Facts } from '../facts/facts.ts'

const recentSeconds = 3600

/**
 * What to do next, apart from the ticket. Whatever changes production is marked as needing approval and never done here.
 */
export function nextActions(facts: Facts, diagnosis: Diagnosis): readonly NextAction[] {
  const say = sayIn(facts.language)
  const runbook = hasSuspect(diagnosis) ? facts.runbooks?.value[0] : undefined
  return [
    ...byCause(facts, diagnosis),
    ...(runbook === undefined
      ? []
      : [
          {
            action: say(`Follow the runbook “${runbook.title}”`, `按照 Runbook“${runbook.title}”处理`),
            needsApproval: false,
            reason: say('it fits the suspected cause best.', '它与怀疑的原因最吻合。'),
          },
        ]),
  ]
}

/** The proposal of a ticket, for a diagnosis that is worth one. */
export function proposedTicket(facts: Facts, diagnosis: Diagnosis): readonly NextAction[] {
  if (!isWorthATicket(diagnosis)) return []
  const say = sayIn(facts.language)
  const { leading, confidence } = diagnosis
  return [
    {
      action: say(
        `Create an incident ticket and notify the on-call of ${facts.service}`,
        `创建事故单并通知 ${facts.service} on-call`,
      ),
      needsApproval: true,
      reason: say(
        `${leading.subject} is suspected with ${confidence} confidence.`,
        `怀疑 ${leading.subject}，置信度${confidence === 'high' ? '高' : '中'}。`,
      ),
    },
  ]
}

/** Whether a diagnosis is sure enough to propose a ticket. */
export function isWorthATicket(diagnosis: Diagnosis): boolean {
  return diagnosis.confidence !== 'low' && hasSuspect(diagnosis)
}

/** Whether a diagnosis names a cause that a runbook or a ticket can be about. */
export function hasSuspect({ leading }: Diagnosis): boolean {
  return leading.cause !== 'unknown' && leading.cause !== 'no_incident'
}

function byCause(facts: Facts, { leading, symptoms }: Diagnosis): readonly NextAction[] {
  const say = sayIn(facts.language)
  const { service } = facts
  switch (leading.cause) {
    case 'deployment':
    case 'config_change': {
      const deployment = facts.deployments?.value.find(({ id }) => id === leading.subject)
      const changes = deployment?.changes ?? []
      const previous = deployment?.previousVersion ?? null
      return [
        {
          action: say(
            `Compare ${leading.subject} with ${previous ?? 'the version before it'}`,
            `对比 ${leading.subject} 与${previous === null ? '之前的版本' : ` ${previous}`} 的变更`,
          ),
          needsApproval: false,
          reason:
            changes.length === 0
              ? say('its changes are not recorded.', '没有记录变更内容。')
              : say(`it changed: ${changes.join('; ')}.`, `变更内容：${changes.join('；')}。`),
        },
        {
          action: say(
            `Roll back ${leading.subject} if the impact grows`,
            `如业务影响扩大，可考虑回滚 ${leading.subject}`,
          ),
          needsApproval: true,
          reason: say(
            'a rollback changes production; this diagnosis only advises it.',
            '回滚会改变生产环境，此处仅为建议。',
          ),
        },
      ]
    }
    case 'dependency_failure':
      return [
        advice(
          say(`Ask the owners of ${leading.subject} for its state`, `向 ${leading.subject} 的负责人询问其状态`),
          say('the slowness appears on the calls to it.', '变慢出现在对它的调用上。'),
        ),
        ...recentDeploymentsOf(leading.subject, facts, symptoms.onset).map(({ id, finishedAt }) =>
          advice(
            say(
              `Compare ${id} of ${leading.subject} with the version before it`,
              `对比 ${leading.subject} 的 ${id} 与之前的版本`,
            ),
            say(`it finished at ${finishedAt}, before the onset.`, `它在 ${finishedAt} 完成，早于异常开始。`),
          ),
        ),
      ]
    case 'database_saturation':
      return [
        advice(
          say(`Look for slow queries and leaked connections of ${service}`, `检查 ${service} 的慢查询和连接泄漏`),
          say('nearly all connections were in use.', '几乎所有连接都被占用。'),
        ),
      ]
    case 'traffic_surge':
      return [
        advice(
          say(`Find out who sends the additional requests to ${service}`, `查明是谁向 ${service} 发送了额外请求`),
          say('the rate rose no later than the symptoms.', 'QPS 的增长不晚于异常出现。'),
        ),
        {
          action: say(`Scale out ${service}`, `扩容 ${service}`),
          needsApproval: true,
          reason: say(
            'scaling changes production; this diagnosis only advises it.',
            '扩容会改变生产环境，此处仅为建议。',
          ),
        },
      ]
    case 'resource_exhaustion':
      return [
        advice(
          say(
            `Check limits and recent memory and CPU profiles of ${service}`,
            `检查 ${service} 的资源上限以及近期的内存和 CPU 剖析`,
          ),
          leading.because,
        ),
      ]
    case 'no_incident':
      return [
        advice(
          say(`Check the threshold of the alert of ${service}`, `检查 ${service} 的告警阈值`),
          say('what was read kept its level.', '已读取的数据保持平稳。'),
        ),
      ]
    case 'unknown':
      return [withoutSuspect(facts, symptoms)]
    default:
      return leading.cause satisfies never
  }
}

function withoutSuspect(facts: Facts, { onset }: Symptoms): NextAction {
  const { read, unread } = symptomSources(facts)
  const say = sayIn(facts.language)
  const { service } = facts
  if (read.length === 0) {
    const what = unread.join(say(', ', '、'))
    return advice(
      say(`Mend or provide the sources of ${service} (${what})`, `修复或提供 ${service} 的数据源（${what}）`),
      say('without them nothing can be seen; see the gaps.', '没有它们就看不到任何情况，见缺口。'),
    )
  }
  const reason = say(
    'the cause is not known; see the gaps for what could not be read.',
    '原因未知；无法读取的数据见缺口。',
  )
  return advice(
    onset === null
      ? say(`Diagnose ${service} again with a wider window`, `用更宽的时间窗口重新诊断 ${service}`)
      : say(`Examine ${service} by hand`, `人工检查 ${service}`),
    reason,
  )
}

function recentDeploymentsOf(service: string, facts: Facts, onset: number | null): readonly DeploymentFact[] {
  return (facts.deployments?.value ?? []).filter((deployment) => {
    const finished = parseTime(deployment.finishedAt)
    const before = finished !== null && onset !== null && finished <= onset && onset - finished <= recentSeconds
    return before && deployment.service === service
  })
}

function advice(action: string, reason: string): NextAction {
  return { action, needsApproval: false, reason }
}
