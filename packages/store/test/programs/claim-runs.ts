import { FairleadError } from '@fairlead/runtime/core'
import { sqliteStore } from '../../src/index.ts'
import { print, toldToBegin } from './told-to-begin.ts'

const [file = '', worker = '', rounds = '0'] = process.argv.slice(2)
const store = sqliteStore({ file })
await store.ready()
await toldToBegin()
let won = 0
let lost = 0
for (let round = 0; round < Number(rounds); round++) {
  const message = { role: 'user', parts: [{ kind: 'text', text: `${worker} ${round}` }] } as const
  const claiming = store.journal.append([
    { kind: 'run-claimed', runId: `run_${round}`, expectedLease: null, lease: { worker, until: 1 } },
  ])
  const telling = store.journal.append([
    {
      kind: 'messages-added',
      sessionId: `session_${worker}`,
      runId: 'run_0',
      expectedCount: round,
      messages: [message],
      at: round,
    },
  ])
  try {
    await claiming
    won++
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'JOURNAL_CONFLICT') throw error
    lost++
  }
  await telling
}
await store.close()
print(JSON.stringify({ won, lost }))
