import fc from 'fast-check'
import { expect, it } from 'vitest'
import { callIdOf, evidenceUriOf, randomIds, type ChatRequest, type Message } from '../core/index.ts'
import { keyOfRequest } from './request-pieces.ts'
import { StableIds } from './stable-ids.ts'

function requestOf(messages: readonly Message[], more: Partial<ChatRequest> = {}): ChatRequest {
  const signal = new AbortController().signal
  return { instructions: 'Help.', messages, tools: [], toolChoice: 'auto', signal, ...more }
}

function digestOf(request: ChatRequest): string {
  return keyOfRequest(request, {}).digest
}

function user(text: string): Message {
  return { role: 'user', parts: [{ kind: 'text', text }] }
}

it('is the same request in every run, whatever the ids of runs, calls and evidence', () => {
  const ids = randomIds()
  const inSomeRun = (): ChatRequest => {
    const runId = ids.next('run')
    const call = callIdOf(runId, 1, 0)
    const evidenceUri = evidenceUriOf(runId, call)
    return requestOf([
      user('Hi'),
      {
        role: 'tool',
        parts: [
          {
            kind: 'function_result',
            callId: 'c1',
            name: 'a',
            call,
            status: 'success',
            content: [{ kind: 'text', text: `Kept as ${evidenceUri}. Run ${runId}, call ${call}.` }],
            evidenceUri,
          },
        ],
      },
    ])
  }
  expect(digestOf(inSomeRun())).toBe(digestOf(inSomeRun()))
})

it('is another request when anything else differs', () => {
  const definition = { name: 'run_report', description: 'A.', inputSchema: {}, strict: false }
  const requests = [
    requestOf([user('Hi')]),
    requestOf([user('Ho')]),
    requestOf([user('Hi'), user('Hi')]),
    requestOf([user('Hi')], { instructions: 'Do not.' }),
    requestOf([user('Hi')], { toolChoice: 'required' }),
    requestOf([user('Hi')], { tools: [definition] }),
    // No id of Fairlead's, though it looks a little like one.
    requestOf([user('Hi')], { tools: [{ ...definition, name: 'run_tests' }] }),
    requestOf([user('Hi')], { tools: [{ ...definition, strict: true }] }),
  ]
  expect(new Set(requests.map(digestOf)).size).toBe(requests.length)
})

it('gives every id back where it stood', () => {
  const ids = randomIds()
  const id = fc.constantFrom('run', 'session', 'approval').map((prefix) => ids.next(prefix as 'run'))
  const token = fc.oneof(
    id,
    id.map((run) => evidenceUriOf(run, callIdOf(run, 1, 0))),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(token), (tokens) => {
      const stable = new StableIds()
      const text = tokens.join(' ')
      expect(stable.reveal(stable.conceal(text))).toBe(text)
    }),
  )
})
