import type { NextAction } from '../../report/index.ts'
import { parseTime } from '../../sources/index.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import { symptomSources, type Symptoms } from '../diagnosis/find-symptoms.ts'
import type { DeploymentFact, Facts } from '../facts/facts.ts'

const recentSeconds = 3600

/**
 * What to do next, apart from the ticket. Whatever changes production is marked as needing approval and never done here.
 */
export function nextActions(facts: Facts, diagnosis: Diagnosis): readonly NextAction[] {
  const runbook = hasSuspect(diagnosis) ? facts.runbooks?.value[0] : undefined
  return [
    ...byCause(facts, diagnosis),
    ...(runbook === undefined
      ? []
      : [
          {
            action: `Follow the runbook “${runbook.title}”`,
            needsApproval: false,
            reason: 'it fits the suspected cause best.',
          },
        ]),
  ]
}

/** The proposal of a ticket, for a diagnosis that is worth one. */
export function proposedTicket(facts: Facts, diagnosis: Diagnosis): readonly NextAction[] {
  if (!isWorthATicket(diagnosis)) return []
  return [
    {
      action: `Create an incident ticket and notify the on-call of ${facts.service}`,
      needsApproval: true,
      reason: `${diagnosis.leading.subject} is suspected with ${diagnosis.confidence} confidence.`,
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
  const { service } = facts
  switch (leading.cause) {
    case 'deployment':
    case 'config_change': {
      const deployment = facts.deployments?.value.find(({ id }) => id === leading.subject)
      const changes = deployment?.changes ?? []
      const previous = deployment?.previousVersion ?? null
      return [
        {
          action: `Compare ${leading.subject} with ${previous ?? 'the version before it'}`,
          needsApproval: false,
          reason: changes.length === 0 ? 'its changes are not recorded.' : `it changed: ${changes.join('; ')}.`,
        },
        {
          action: `Roll back ${leading.subject} if the impact grows`,
          needsApproval: true,
          reason: 'a rollback changes production; this diagnosis only advises it.',
        },
      ]
    }
    case 'dependency_failure':
      return [
        advice(`Ask the owners of ${leading.subject} for its state`, 'the slowness appears on the calls to it.'),
        ...recentDeploymentsOf(leading.subject, facts, symptoms.onset).map(({ id, finishedAt }) =>
          advice(
            `Compare ${id} of ${leading.subject} with the version before it`,
            `it finished at ${finishedAt}, before the onset.`,
          ),
        ),
      ]
    case 'database_saturation':
      return [
        advice(`Look for slow queries and leaked connections of ${service}`, 'nearly all connections were in use.'),
      ]
    case 'traffic_surge':
      return [
        advice(`Find out who sends the additional requests to ${service}`, 'the rate rose no later than the symptoms.'),
        {
          action: `Scale out ${service}`,
          needsApproval: true,
          reason: 'scaling changes production; this diagnosis only advises it.',
        },
      ]
    case 'resource_exhaustion':
      return [advice(`Check limits and recent memory and CPU profiles of ${service}`, leading.because)]
    case 'no_incident':
      return [advice(`Check the threshold of the alert of ${service}`, 'what was read kept its level.')]
    case 'unknown':
      return [withoutSuspect(facts, symptoms)]
    default:
      return leading.cause satisfies never
  }
}

function withoutSuspect(facts: Facts, { onset }: Symptoms): NextAction {
  const { read, unread } = symptomSources(facts)
  const { service } = facts
  if (read.length === 0) {
    const what = unread.join(', ')
    return advice(
      `Mend or provide the sources of ${service} (${what})`,
      'without them nothing can be seen; see the gaps.',
    )
  }
  const reason = 'the cause is not known; see the gaps for what could not be read.'
  return advice(onset === null ? `Diagnose ${service} again with a wider window` : `Examine ${service} by hand`, reason)
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
