import { tool, type InvocationContext, type Tool } from '@fairlead/runtime'
import { z } from 'zod'
import { serviceArgument } from './arguments.ts'
import { entryBook } from './entry-book.ts'
import { success } from './success.ts'

const actionSchema = z.object({
  id: z.string(),
  idempotencyKey: z.string(),
  requestedAt: z.string(),
  action: z.enum(['restart', 'rollback']),
  service: z.string(),
  deploymentId: z.string().nullable(),
  reason: z.string(),
  requestedFor: z.string(),
})

const reasonArgument = z.string().min(1).max(500).describe('Why, in one sentence that the approver reads.')
const inThisExample = 'In this example it is only appended to actions.jsonl; nothing is changed.'

/** The tool that restarts a service after a person agreed. In this example it only appends to a file. */
export function restartService(actionsFile: string): Tool {
  const record = recorder(actionsFile)
  return tool({
    name: 'restart_service',
    description:
      'Restart all pods of one service. Use it only when a person asked for a restart after a diagnosis. Do not use it to try something out, and do not repeat it after a refusal.',
    inputSchema: z.strictObject({
      service: serviceArgument('Exact name of the service to restart.'),
      reason: reasonArgument,
    }),
    effects: 'destructive',
    class: 'idempotencyKey',
    needsApproval: true,
    impact: `Stops and starts every pod of the service; requests in flight may fail. ${inThisExample}`,
    tags: ['incident', 'production'],
    execute: ({ service, reason }, context) =>
      record({ action: 'restart', service, deploymentId: null, reason }, context),
  })
}

/** The tool that rolls a deployment back after a person agreed. In this example it only appends to a file. */
export function rollbackDeployment(actionsFile: string): Tool {
  const record = recorder(actionsFile)
  return tool({
    name: 'rollback_deployment',
    description:
      'Roll one deployment of a service back to the version before it. Use it only when a person asked for it and the evidence names this deployment. Do not use it for configuration outside the deployment, and do not repeat it after a refusal.',
    inputSchema: z.strictObject({
      service: serviceArgument('Exact name of the service that was deployed.'),
      deployment_id: z.string().min(1).max(200).describe('Id of the deployment to roll back.'),
      reason: reasonArgument,
    }),
    effects: 'destructive',
    class: 'idempotencyKey',
    needsApproval: true,
    impact: `Replaces the running version by the one before it. ${inThisExample}`,
    reversible: { by: 'deploying the version again' },
    tags: ['incident', 'production'],
    execute: ({ service, deployment_id: deploymentId, reason }, context) =>
      record({ action: 'rollback', service, deploymentId, reason }, context),
  })
}

type Action = Pick<z.output<typeof actionSchema>, 'action' | 'service' | 'deploymentId' | 'reason'>

function recorder(file: string) {
  const book = entryBook({ file, schema: actionSchema, idPrefix: 'ACT' })
  return async (wanted: Action, context: Pick<InvocationContext, 'idempotencyKey' | 'principal'>) => {
    const { kind, entry } = await book.file({
      idempotencyKey: context.idempotencyKey,
      requestedAt: new Date().toISOString(),
      ...wanted,
      requestedFor: context.principal.id,
    })
    const { id, action, service } = entry
    const recorded = kind === 'created'
    return success(
      { actionId: id, recorded, action, service },
      recorded
        ? `The ${action} of ${service} was recorded as ${id}; this example changes nothing.`
        : `The ${action} of ${service} had already been recorded as ${id}.`,
    )
  }
}
