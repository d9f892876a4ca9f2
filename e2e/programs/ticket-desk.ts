import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Agent, tool, type Store, type ToolContract } from '@fairlead/runtime'
import { ScriptedChatClient } from '@fairlead/runtime/testing'

export type Desk = {
  readonly store: Store
  /** A remote's list of effects: one line for each. */
  readonly ledger: string
  readonly toolClass: string
  readonly mode: string
  /** Told of each point of the effect as it is reached. */
  readonly reached?: (point: string) => void
}

const turns = [
  { text: 'I propose a ticket.', calls: [{ name: 'create_ticket', arguments: { title: 'slow' } }] },
  'The ticket is there.',
]

/** The agent of the crash tests: proposes one gated ticket, then says that it is there. */
export function ticketAgent({ store, ledger, toolClass, mode, reached = () => undefined }: Desk): Agent {
  const createTicket = tool({
    name: 'create_ticket',
    description: 'Creates a ticket.',
    inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    effects: 'write',
    class: toolClass as ToolContract['class'],
    needsApproval: true,
    execute: async ({ title }, context) => {
      reached('before-effect')
      const known = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n') : []
      // A remote that honours the key; a non-idempotent one does not look.
      const honoursKey = toolClass === 'idempotencyKey'
      const line = honoursKey ? context.idempotencyKey : `${JSON.stringify(title)} ${context.idempotencyKey}`
      if (!honoursKey || !known.includes(line)) appendFileSync(ledger, `${line}\n`)
      await new Promise((resolve) => setImmediate(resolve))
      reached('after-effect')
      return { ticket: 'T-1' }
    },
  })
  return new Agent({
    model: new ScriptedChatClient(mode === 'start' ? turns : turns.slice(1)),
    tools: [createTicket],
    store,
    principal: { id: 'tester' },
  })
}
