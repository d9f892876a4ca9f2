// #region tools
import { Agent, tool, ToolError, type Tool } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

const stock = new Map([['coffee', 12]])
export const orders: string[] = []

export const countStock: Tool = tool({
  name: 'count_stock',
  description: 'How many of one article are in the warehouse. Not for prices.',
  inputSchema: z.strictObject({ article: z.string().describe('Name of the article, for example coffee.') }),
  effects: 'read',
  errorCodes: ['UNKNOWN_ARTICLE'],
  execute: ({ article }) => {
    const count = stock.get(article)
    if (count === undefined) throw new ToolError('UNKNOWN_ARTICLE', `There is no article "${article}".`)
    return { article, count }
  },
})

export const orderArticle: Tool = tool({
  name: 'order_article',
  description: 'Orders one article from the supplier. Only when the stock is low.',
  inputSchema: z.strictObject({ article: z.string(), count: z.int().min(1).max(100) }),
  effects: 'write',
  class: 'idempotencyKey',
  needsApproval: true,
  impact: 'Sends one order to the supplier; it costs money.',
  timeoutMs: 10_000,
  execute: async ({ article, count }, { idempotencyKey, signal }) => {
    signal.throwIfAborted()
    orders.push(`${count} ${article}, ${idempotencyKey}`)
    return { ordered: count }
  },
})

/** Runs the tools as a model would, with a script in the model's place. */
export async function tryTools(): Promise<string> {
  const model = new ScriptedChatClient([
    { calls: [{ name: 'count_stock', arguments: { article: 'coffee' } }] },
    { calls: [{ name: 'order_article', arguments: { article: 'coffee', count: 5 } }] },
    'Coffee is ordered.',
  ])
  const agent = new Agent({ model, tools: [countStock, orderArticle] })
  let result = await agent.run('Is there enough coffee?')
  while (result.approvals.length > 0) {
    result = await agent.run(result.approvals.map((approval) => approval.approve({ by: 'ann' })))
  }
  return result.text
}
// #endregion
