// #region agents-as-tools
import { Agent, tool, type PendingApproval } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

export const ordered: string[] = []

const orderArticle = tool({
  name: 'order_article',
  description: 'Orders one article from the supplier.',
  inputSchema: z.strictObject({ article: z.string() }),
  effects: 'write',
  needsApproval: true,
  execute: ({ article }) => {
    ordered.push(article)
    return `${article} is ordered.`
  },
})

const buyer = new Agent({
  name: 'buyer',
  model: new ScriptedChatClient([
    { calls: [{ name: 'order_article', arguments: { article: 'coffee' } }] },
    'I ordered coffee.',
  ]),
  instructions: 'You buy what is asked for, and nothing else.',
  tools: [orderArticle],
  maxIterations: 5,
})

const office = new Agent({
  name: 'office',
  model: new ScriptedChatClient([
    { calls: [{ name: 'buy', arguments: { task: 'Buy coffee for the kitchen.' } }] },
    'Coffee is on its way.',
  ]),
  tools: [
    buyer.asTool({
      name: 'buy',
      description: 'Buys something for the office. Say what, and for whom. Not for questions.',
      effects: 'write',
    }),
  ],
})

export async function run(decide: (request: PendingApproval) => boolean): Promise<string> {
  let result = await office.run('There is no coffee.')
  while (result.stopReason === 'approval_required') {
    const answers = result.approvals.map((request) =>
      decide(request) ? request.approve({ by: 'ann' }) : request.deny({ by: 'ann', reason: 'We have tea.' }),
    )
    result = await office.run(answers)
  }
  return result.text
}
// #endregion
