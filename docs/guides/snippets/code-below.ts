// #region code-below
import { Agent, tool } from 'fairlead'
import { currentInvocation } from 'fairlead/ambient'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

export const queries: string[] = []

/** Deep below: knows nothing of agents, and still says on whose behalf it asks. */
async function query(sql: string, values: readonly string[]): Promise<number> {
  const invocation = currentInvocation()
  queries.push(
    `${sql} [${values.join()}] ${invocation?.call.tool ?? 'no call'} for ${invocation?.principal.id ?? 'nobody'}`,
  )
  return 12
}

const countStock = tool({
  name: 'count_stock',
  description: 'How many of one article are in the warehouse. Not for prices.',
  inputSchema: z.strictObject({ article: z.string() }),
  effects: 'read',
  execute: async ({ article }) => await query('select count from stock where article = ?', [article]),
})

export const agent: Agent = new Agent({
  model: new ScriptedChatClient([
    { calls: [{ name: 'count_stock', arguments: { article: 'coffee' } }] },
    'There are 12.',
  ]),
  tools: [countStock],
  principal: { id: 'ann' },
})
// #endregion
