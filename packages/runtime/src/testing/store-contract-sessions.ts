import { deepStrictEqual } from 'node:assert/strict'
import { userMessage } from '../core/index.ts'
import type { JournalEntry, Message } from '../core/index.ts'
import { refuses, storeCase } from './store-contract-case.ts'
import type { StoreContractCase } from './store-contract-case.ts'

const created: JournalEntry = { kind: 'session-created', sessionId: 'session_a', at: 5 }

function added(expectedCount: number, ...messages: readonly Message[]): JournalEntry {
  return { kind: 'messages-added', sessionId: 'session_a', runId: 'run_a', expectedCount, messages, at: 6 }
}

/** What every store does with conversations. */
export const sessionCases: readonly StoreContractCase[] = [
  storeCase('a session that was never created is undefined', async (store) => {
    deepStrictEqual(await store.sessions.get('session_nobody'), undefined)
  }),
  storeCase('a created session is empty', async (store) => {
    await store.journal.append([created])
    deepStrictEqual(await store.sessions.get('session_a'), { id: 'session_a', createdAt: 5, messages: [] })
  }),
  storeCase('a session is created once', async (store) => {
    await store.journal.append([created])
    await refuses(store, 'session-created', [created])
  }),
  storeCase('messages keep their order over several batches', async (store) => {
    await store.journal.append([created, added(0, userMessage('one'), userMessage('two'))])
    await store.journal.append([added(2, userMessage('three')), added(3), added(3, userMessage('four'))])
    const session = await store.sessions.get('session_a')
    deepStrictEqual(session?.messages, ['one', 'two', 'three', 'four'].map(userMessage))
  }),
  storeCase('messages are refused when the conversation is not as long as expected', async (store) => {
    await store.journal.append([created, added(0, userMessage('one'))])
    await refuses(store, 'messages-added', [added(0, userMessage('late'))])
    await refuses(store, 'messages-added', [added(2, userMessage('early'))])
    deepStrictEqual((await store.sessions.get('session_a'))?.messages, [userMessage('one')])
  }),
  storeCase('messages of an unknown session are refused', async (store) => {
    await refuses(store, 'messages-added', [added(0, userMessage('one'))])
  }),
  storeCase('a session that was read does not change afterwards', async (store) => {
    await store.journal.append([created, added(0, userMessage('one'))])
    const before = await store.sessions.get('session_a')
    await store.journal.append([added(1, userMessage('two'))])
    deepStrictEqual(before?.messages.length, 1)
  }),
  storeCase('every kind of part comes back as it was given', async (store) => {
    const message: Message = {
      role: 'assistant',
      parts: [
        { kind: 'text', text: 'before\u0000after \ud83c\udf89 \ud800 \u2028 "quoted" \\ \u202e' },
        { kind: 'reasoning', text: 'because', providerMetadata: { signature: 'a/b==' } },
        { kind: 'data', data: { deep: [{ est: 1e21, tiny: 5e-324, none: null, yes: true, '': [] }] } },
        { kind: 'file', mediaType: 'image/png', data: 'AAAA' },
        { kind: 'function_call', callId: 'same', name: 'tool', arguments: '{"unterminated' },
        { kind: 'function_result', callId: 'same', name: 'tool', call: null, status: 'error', content: [] },
      ],
    }
    await store.journal.append([created, added(0, message)])
    deepStrictEqual((await store.sessions.get('session_a'))?.messages, [message])
  }),
  storeCase('a message of two million characters comes back whole', async (store) => {
    const message = userMessage('🎉é'.repeat(700_000))
    await store.journal.append([created, added(0, message)])
    deepStrictEqual((await store.sessions.get('session_a'))?.messages[0], message)
  }),
  storeCase('twelve hundred messages in one entry come back in order', async (store) => {
    const messages = Array.from({ length: 1200 }, (_, index) => userMessage(`message ${index}`))
    await store.journal.append([created, added(0, ...messages)])
    deepStrictEqual((await store.sessions.get('session_a'))?.messages, messages)
  }),
]
