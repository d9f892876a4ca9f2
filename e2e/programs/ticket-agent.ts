// A process of its own for crash tests: approves a run's request, goes on with the run, and kills itself where told.
// Arguments: store file, ledger file, tool class, run id, kill point.
import { decideApproval, systemClock, type Store } from '@fairlead/runtime'
import { sqliteStore } from '@fairlead/store'
import { ticketAgent } from './ticket-desk.ts'

const [file = '', ledger = '', toolClass = 'nonIdempotent', runId = '-', killPoint = 'none'] = process.argv.slice(2)

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
      callsInState: (states, limit) => journal.callsInState(states, limit),
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

const agent = ticketAgent({ store, ledger, toolClass, mode: 'resume', reached })

const say = (answer: object): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

try {
  const [approval] = await store.approvals.list({ runId })
  say({ kind: 'ready' })
  await new Promise((resolve) => process.stdin.once('data', resolve))
  process.stdin.unref()
  const answer = { id: approval?.id ?? '', approved: true, by: `process ${process.pid}` }
  const verdict = await decideApproval(store, answer, { clock: systemClock })
  if (verdict.kind === 'decided') {
    const result = await agent.resume(runId).result
    say({ kind: 'stopped', stopReason: result.stopReason, text: result.text })
  } else say({ kind: 'refused', verdict: verdict.kind, by: 'approval' in verdict ? verdict.approval.decidedBy : null })
} catch (error) {
  say({ kind: 'failed', code: (error as { code?: string }).code ?? String(error) })
}
await store.close()
process.exit(0)
