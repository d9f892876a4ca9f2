// #region change-calls
import { Agent, functionMiddleware, tool, type Middleware } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

export const ordered: number[] = []

const orderArticle = tool({
  name: 'order_article',
  description: 'Orders one article from the supplier.',
  inputSchema: z.strictObject({ article: z.string(), count: z.int().min(1) }),
  effects: 'write',
  execute: ({ count }) => {
    ordered.push(count)
    return { count, supplier: 'north', discount: 0.3 }
  },
})

/** Before: other arguments. They are validated and judged again; the journal names who changed them. */
const capOrders: Middleware = functionMiddleware(
  async (context, next) => {
    if (Number(context.args['count']) > 100) await context.replaceArgs({ ...context.args, count: 100 })
    await next()
  },
  { name: 'cap_orders' },
)

/** After: the model sees this; the evidence keeps what the tool gave. */
const hideConditions: Middleware = functionMiddleware(
  async (context, next) => {
    await next()
    if (context.result?.status === 'success') context.result = { count: context.args['count'] }
  },
  { name: 'hide_conditions' },
)

/** Instead: a result and no `next`. Nothing runs, and the journal says so. */
const noTea: Middleware = functionMiddleware(
  async (context, next) => {
    if (context.args['article'] === 'tea') context.result = 'Tea comes by itself every Monday; nothing was ordered.'
    else await next()
  },
  { name: 'no_tea' },
)

/** And that is all: the run ends when the calls of this turn have ended. */
const oneOrder: Middleware = functionMiddleware(
  async (context, next) => {
    await next()
    if (context.result?.status === 'success') context.terminate()
  },
  { name: 'one_order' },
)

export async function order(article: string, count: number): Promise<string> {
  const model = new ScriptedChatClient([{ calls: [{ name: 'order_article', arguments: { article, count } }] }])
  const middleware = [oneOrder, noTea, hideConditions, capOrders]
  const result = await new Agent({ model, tools: [orderArticle], middleware }).run('Please order.')
  return JSON.stringify([result.stopReason, result.messages.at(-1)?.parts])
}
// #endregion
