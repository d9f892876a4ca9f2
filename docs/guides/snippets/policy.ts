// #region policy
import { Agent, tool, type Policy } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

export const done: string[] = []

const inputSchema = z.strictObject({ service: z.string() })

const readStatus = tool({
  name: 'read_status',
  description: 'How one service is doing.',
  inputSchema,
  effects: 'read',
  execute: ({ service }) => `${service} hangs.`,
})

const restartService = tool({
  name: 'restart_service',
  description: 'Restarts one service.',
  inputSchema,
  effects: 'destructive',
  execute: ({ service }) => void done.push(`restarted ${service}`),
})

const emptyQueue = tool({
  name: 'empty_queue',
  description: 'Throws away everything that waits for one service.',
  inputSchema,
  effects: 'destructive',
  environments: ['dev', 'staging'],
  execute: ({ service }) => void done.push(`emptied the queue of ${service}`),
})

const policy: Policy = {
  decide({ tool: { name, effects, environments }, environment }) {
    if (environments.length > 0 && !environments.includes(environment)) {
      return { effect: 'deny', rules: ['environments'], reason: `${name} is not for ${environment}.` }
    }
    // What a tool does not declare is treated as the worst.
    if (effects === 'destructive' || effects === 'unknown') {
      return { effect: 'ask', rules: ['ask-before-destructive'], reason: 'It may destroy something.' }
    }
    return { effect: 'allow', rules: ['default'] }
  },
}

/** Whom a person was asked for by which rule, and what the model was told in the end. */
export async function mend(environment: string): Promise<{ readonly asked: readonly string[]; readonly told: string }> {
  const model = new ScriptedChatClient([
    {
      calls: ['read_status', 'restart_service', 'empty_queue'].map((name) => ({
        name,
        arguments: { service: 'checkout' },
      })),
    },
    'Done.',
  ])
  const agent = new Agent({ model, tools: [readStatus, restartService, emptyQueue], policy, environment })
  const session = await agent.session()
  const asked: string[] = []
  let result = await agent.run('checkout hangs.', { session })
  while (result.stopReason === 'approval_required') {
    asked.push(...result.approvals.map((card) => `${card.tool}, ${card.askedBy}: ${card.askReason}`))
    result = await agent.run(
      result.approvals.map((card) => card.approve({ by: 'ann' })),
      { session },
    )
  }
  return { asked, told: JSON.stringify(model.requests.at(-1)?.messages.at(-1)?.parts) }
}
// #endregion
