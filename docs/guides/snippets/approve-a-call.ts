// #region approve-a-call
import { Agent, tool, toolApproval, type ApprovalResponsePart, type PendingApproval } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

export const ordered: string[] = []

const orderArticle = tool({
  name: 'order_article',
  description: 'Orders one article from the supplier.',
  inputSchema: z.strictObject({ article: z.string(), count: z.int().min(1).max(100) }),
  effects: 'write',
  needsApproval: true,
  impact: ({ arguments: { article } }) => `The supplier sends ${JSON.stringify(article)} and an invoice.`,
  reversible: 'no',
  execute: ({ article, count }) => {
    ordered.push(`${count} ${article}`)
    return { ordered: count }
  },
})

const order = (article: string, count: number) => ({ name: 'order_article', arguments: { article, count } })

const agent = new Agent({
  model: new ScriptedChatClient([
    { text: 'The kitchen is empty.', calls: [order('coffee', 5), order('tea', 50), order('sugar', 1)] },
    'Done.',
    { calls: [order('coffee', 7)] },
    'Done again.',
  ]),
  tools: [orderArticle],
  // One of anything needs nobody.
  middleware: [toolApproval({ autoApprove: ({ arguments: args }) => args['count'] === 1 })],
})

/** A person in front of a card: coffee is fine from now on, fifty teas are not. */
export function decide(card: PendingApproval): ApprovalResponsePart {
  const { article, count } = card.arguments
  if (article === 'coffee') return card.approve({ by: 'ann', remember: 'tool' })
  return Number(count) > 10
    ? card.edit({ ...card.arguments, count: 10 }, { by: 'ann', reason: 'Ten will do.' })
    : card.deny({ by: 'ann', reason: 'We have enough.' })
}

export async function run(answer: (card: PendingApproval) => ApprovalResponsePart): Promise<readonly string[]> {
  const session = await agent.session('kitchen')
  const cards: string[] = []
  for (const prompt of ['What do we need?', 'And more coffee.']) {
    let result = await agent.run(prompt, { session })
    while (result.approvals.length > 0) {
      for (const { tool: name, arguments: args, impact, risk } of result.approvals) {
        cards.push(`${name} ${JSON.stringify(args)}: ${impact ?? 'not declared'} (risk: ${risk})`)
      }
      result = await agent.run(result.approvals.map(answer), { session })
    }
  }
  return cards
}
// #endregion
