import { callIdOf } from '@fairlead/runtime/core'
import { sampleCall } from '@fairlead/runtime/testing'
import { sqliteStore } from '../../src/index.ts'
import { print } from './told-to-begin.ts'

/** Each batch holds two messages, one call and one evidence; its number is printed when `append` has resolved. */
async function write(index: number): Promise<void> {
  const callId = callIdOf('run_sample', 1, index)
  const message = { role: 'user', parts: [{ kind: 'text', text: `${index} `.repeat(50) }] } as const
  await store.journal.append([
    {
      kind: 'messages-added',
      sessionId: 'session_sample',
      runId: 'run_sample',
      expectedCount: index * 2,
      messages: [message, message],
      at: index,
    },
    { kind: 'call-opened', call: sampleCall({ index }) },
    {
      kind: 'evidence-kept',
      uri: `evidence://${index}`,
      runId: 'run_sample',
      callId,
      value: 'x'.repeat(20_000),
      at: index,
    },
  ])
  print(String(index))
}

const [file = ''] = process.argv.slice(2)
const store = sqliteStore({ file })
for (let index = 0; ; index += 8) {
  await Promise.all(Array.from({ length: 8 }, (_, offset) => write(index + offset)))
}
