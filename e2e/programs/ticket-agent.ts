// A process of its own for crash tests: starts a run, or decides its approval and goes on, and kills itself where told.
// Arguments: store file, ledger file, tool class, mode (start | decide | resume), run id or "-", kill point.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Agent, decideApproval, systemClock, tool, type Store, type ToolContract } from '@fairlead/runtime'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { sqliteStore } from '@fairlead/store'

const [file = '', ledger = '', toolClass = 'nonIdempotent', mode = 'start', runId = '-', killPoint = 'none'] =
  process.argv.slice(2)

const die = (): never => {
  process.kill(process.pid, 'SIGKILL')
  // The signal takes this process before the next line.
  for (;;);
}

const reached = (point: string): void => {
  if (killPoint === point) die()
}

/** The same store, but this process dies before or after its n-th write. */
function mortal(store: Store): Store {
  let writes = 0
  const { journal } = store
  return {
    ...store,
    close: () => store.close(),
    journal: {
      run: (id) => journal.run(id),
      runs: (filter) => journal.runs(filter),
      calls: (id) => journal.calls(id),
      async append(batch) {
        const write = ++writes
        reached(`before-write-${write}`)
        await journal.append(batch)
        reached(`after-write-${write}`)
      },
    },
  }
}

const store = mortal(sqliteStore({ file }))

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
    const line =
      toolClass === 'idempotencyKey' ? context.idempotencyKey : `${JSON.stringify(title)} ${context.idempotencyKey}`
    if (toolClass !== 'idempotencyKey' || !known.includes(line)) appendFileSync(ledger, `${line}\n`)
    await new Promise((resolve) => setImmediate(resolve))
    reached('after-effect')
    return { ticket: 'T-1' }
  },
})

const turns = [
  { text: 'I propose a ticket.', calls: [{ name: 'create_ticket', arguments: { title: 'slow' } }] },
  'The ticket is there.',
]
const agent = new Agent({
  model: new ScriptedChatClient(mode === 'start' ? turns : turns.slice(1)),
  tools: [createTicket],
  store,
  principal: { id: 'tester' },
})

const say = (answer: object): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

const goOn = async (): Promise<void> => {
  const result = await agent.resume(runId).result
  say({ kind: 'stopped', stopReason: result.stopReason, text: result.text })
}

try {
  if (mode === 'start') {
    const result = await agent.run('The service is slow.')
    say({
      kind: 'started',
      runId: result.runId,
      stopReason: result.stopReason,
      approvals: result.approvals.map(({ id }) => id),
    })
  } else if (mode === 'resume') await goOn()
  else {
    const [approval] = await store.approvals.list({ runId })
    say({ kind: 'ready' })
    await new Promise((resolve) => process.stdin.once('data', resolve))
    process.stdin.unref()
    const verdict = await decideApproval(
      store,
      { id: approval?.id ?? '', approved: true, by: `process ${process.pid}` },
      { clock: systemClock },
    )
    if (verdict.kind === 'decided') await goOn()
    else say({ kind: 'refused', verdict: verdict.kind, by: 'approval' in verdict ? verdict.approval.decidedBy : null })
  }
} catch (error) {
  say({ kind: 'failed', code: (error as { code?: string }).code ?? String(error) })
}
await store.close()
process.exit(0)
