import { callIdOf, FairleadError } from '@fairlead/runtime/core'
import { sqliteStore } from '../../src/index.ts'
import { print } from './told-to-begin.ts'

const [file = ''] = process.argv.slice(2)
const store = sqliteStore({ file })
const callId = callIdOf('run_sample', 1, 0)
let written = 0
try {
  for (; ; written++) {
    await store.journal.append([
      { kind: 'session-created', sessionId: `session_${written}`, at: 1 },
      {
        kind: 'evidence-kept',
        uri: `evidence://${written}`,
        runId: 'run_sample',
        callId,
        value: 'x'.repeat(50_000),
        at: 1,
      },
    ])
  }
} catch (error) {
  const readable = (await store.evidence.get('evidence://0')) !== undefined
  print(JSON.stringify({ written, code: error instanceof FairleadError ? error.code : String(error), readable }))
}
await store.close()
