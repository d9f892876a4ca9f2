/* oxlint-disable no-console -- a program prints */
// #region survive
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { statelessScript } from '@fairlead/runtime/testing'
import { sqliteStore } from '@fairlead/store'
import { Agent, tool } from 'fairlead'
import { z } from 'zod'

await using store = sqliteStore({ file: 'invoices.db' })
const inputSchema = z.strictObject({ invoice: z.string() })

// In the place of three systems somewhere else: one line for each thing that happened there.
const world = (): string => (existsSync('world.txt') ? readFileSync('world.txt', 'utf8') : '')
const happen = (what: string): void => appendFileSync('world.txt', `${what}\n`)

const chargeCard = tool({
  name: 'charge_card',
  description: 'Charges the customer once.',
  inputSchema,
  effects: 'write',
  // The bank keeps keys for a day: within it, the same key again charges nothing.
  class: 'idempotencyKey',
  idempotency: { windowMs: 24 * 60 * 60 * 1000 },
  execute: ({ invoice }, { idempotencyKey }) => {
    if (!world().includes(idempotencyKey)) happen(`charged ${invoice} ${idempotencyKey}`)
    return { charged: invoice }
  },
})

const bookCourier = tool({
  name: 'book_courier',
  description: 'Books a courier for the paper copy.',
  inputSchema,
  effects: 'write',
  // The courier can be asked what became of a booking.
  class: 'queryable',
  execute: ({ invoice }, { idempotencyKey }) => {
    happen(`booked ${invoice} ${idempotencyKey}`)
    return { booked: invoice }
  },
  reconcile: ({ invoice }, { idempotencyKey }) =>
    world().includes(`booked ${invoice} ${idempotencyKey}`)
      ? { done: true, result: { booked: invoice } }
      : { done: false },
})

const mailInvoice = tool({
  name: 'mail_invoice',
  description: 'Mails one invoice.',
  inputSchema,
  // Nothing is said of repeating it, so it is never repeated by itself.
  effects: 'write',
  execute: ({ invoice }) => {
    happen(`mailed ${invoice}`)
    // The worst moment to die: the mail is out, and nothing says so yet.
    if (process.env['DIE'] === '1') process.kill(process.pid, 'SIGKILL')
    return { mailed: invoice }
  },
})

const names = ['charge_card', 'book_courier', 'mail_invoice']
const agent = new Agent({
  name: 'invoices',
  store,
  tools: [chargeCard, bookCourier, mailInvoice],
  // In a real model's place. It keeps nothing, so another process can go on with it.
  model: statelessScript([
    { calls: names.map((name) => ({ name, arguments: { invoice: '7' } })) },
    'Invoice 7 is out.',
  ]),
})

const [, , what] = process.argv
if (what === 'start') await agent.run('Send invoice 7.', { session: await agent.session('invoice-7') })
else {
  const [run] = await store.journal.runs({ sessionId: 'invoice-7', limit: 1 })
  const runId = run?.id ?? ''
  if (what === 'done') {
    // Somebody looked into the mailbox.
    for (const call of await store.journal.callsInState(['Unknown'])) {
      const verdict = await agent.resolveCall(call.id, { kind: 'done', by: 'ann', result: { mailed: '7' } })
      console.log(call.tool, verdict.kind)
    }
  }
  const result = await agent.resume(runId).result
  console.log(result.stopReason, result.text)
  for (const call of result.inDoubt) console.log('in doubt:', call.tool, call.arguments)
}
// #endregion
