/* oxlint-disable no-console -- a program prints */
// #region restock
import { appendFileSync } from 'node:fs'
import { statelessScript } from '@fairlead/runtime/testing'
import { sqliteStore } from '@fairlead/store'
import { Agent, decideApproval, systemClock, tool } from 'fairlead'
import { z } from 'zod'

await using store = sqliteStore({ file: 'restock.db' })

// Made anew in every process; what a run was doing is in the store.
const agent = new Agent({
  name: 'restock',
  store,
  // In a real model's place. It keeps nothing, so another process can go on with it.
  model: statelessScript([
    { text: 'Coffee is low.', calls: [{ name: 'order_article', arguments: { article: 'coffee', count: 5 } }] },
    'Coffee is ordered.',
  ]),
  tools: [
    tool({
      name: 'order_article',
      description: 'Orders one article from the supplier. Only when the stock is low.',
      inputSchema: z.strictObject({ article: z.string(), count: z.int().min(1).max(100) }),
      effects: 'write',
      needsApproval: true,
      execute: ({ article, count }, { idempotencyKey }) => {
        appendFileSync('orders.txt', `${count} ${article} ${idempotencyKey}\n`)
        return { ordered: count }
      },
    }),
  ],
})

const [, , what, id = '', by = 'you'] = process.argv
if (what === 'ask') {
  const result = await agent.run('Is there enough coffee?')
  console.log(result.stopReason)
  for (const approval of result.approvals) console.log(approval.id, approval.tool, approval.arguments)
} else if (what === 'approve') {
  const verdict = await decideApproval(store, { id, approved: true, by }, { clock: systemClock })
  switch (verdict.kind) {
    case 'decided': {
      const result = await agent.resume(verdict.approval.runId).result
      console.log(result.stopReason, result.text)
      break
    }
    case 'already':
    case 'expired':
      console.log(`${verdict.approval.status} by ${verdict.approval.decidedBy ?? 'nobody'}`)
      break
    default:
      console.log('There is no such request.')
  }
} else {
  console.log('Usage: restock.ts ask | approve ID [WHO]')
}
// #endregion
