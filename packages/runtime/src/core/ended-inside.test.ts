import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  functionMiddleware,
  memoryStore,
  tool,
  type Middleware,
  type RunOptions,
  type RunResult,
  type Store,
} from './index.ts'
import { ManualClock, ScriptedChatClient } from '../testing/index.ts'

function office(store: Store, paid: string[], depth: number) {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    effects: 'write',
    needsApproval: true,
    execute: () => void paid.push('paid'),
  })
  const sign = tool({ name: 'sign', description: 'The host signs.', inputSchema: z.object({}) })
  const wants = [
    { name: 'pay', arguments: {} },
    { name: 'sign', arguments: {} },
  ]
  let inner = new Agent({
    name: 'clerk',
    model: new ScriptedChatClient([{ calls: wants }, 'paid']),
    tools: [pay, sign],
  })
  for (let level = 1; level < depth; level++) {
    const around = new ScriptedChatClient([{ calls: [{ name: inner.name, arguments: { task: 'pay' } }] }, 'done'])
    inner = new Agent({ name: `office${level}`, model: around, tools: [inner.asTool({ name: inner.name })] })
  }
  const script = [{ calls: [{ name: inner.name, arguments: { task: 'pay' } }] }, 'The end.']
  const boss = (tools = [inner.asTool({ name: inner.name })]): Agent =>
    new Agent({ name: 'boss', store, model: new ScriptedChatClient(script), tools })
  return { boss, begun: boss() }
}

type End = (boss: (tools?: never[]) => Agent, first: RunResult) => Promise<RunResult>

const aborted = (): RunOptions => ({ signal: AbortSignal.abort() })
const answering = (middleware: Middleware): End => {
  return (boss, { runId }) => boss().resume(runId, { middleware }).result
}

const ends: readonly (readonly [string, End])[] = [
  ['resumed with an aborted signal', (boss, { runId }) => boss().resume(runId, aborted()).result],
  [
    'answered with an aborted signal',
    (boss, { approvals }) =>
      boss().run(
        approvals.map((one) => one.approve({ by: 'ann' })),
        aborted(),
      ),
  ],
  ['answered by middleware', answering(functionMiddleware((context) => void (context.result = 'instead')))],
  [
    'stopped by middleware that throws',
    answering(
      functionMiddleware(() => {
        throw new Error('no')
      }),
    ),
  ],
  ['ended by middleware', answering(functionMiddleware((context) => context.terminate()))],
  ['taken up where the agent is missing', (boss, { runId }) => boss([]).resume(runId).result],
]

describe.each([1, 2, 3])('a run that ends around agents that wait, %i deep', (depth) => {
  it.each(ends)('%s: they end with it, every call answered, nothing asked any more', async (_, end) => {
    const store = memoryStore()
    const paid: string[] = []
    const { boss, begun } = office(store, paid, depth)
    const first = await begun.run('go')
    expect(first).toMatchObject({ stopReason: 'approval_required' })
    const result = await end(boss as never, first)
    expect(['aborted', 'terminated', 'answered']).toContain(result.stopReason)
    const runs = await store.journal.runs({})
    expect(runs).toHaveLength(depth + 1)
    for (const run of runs) {
      expect(run.status).toBe('ended')
      for (const call of await store.journal.calls(run.id)) expect(call.result).not.toBeNull()
    }
    expect(await store.approvals.list({ status: 'pending' })).toEqual([])
    expect(paid).toEqual([])
  })
})

it('an agent inside a call stops when the time of the call is over: nothing happens later', async () => {
  const clock = new ManualClock()
  const store = memoryStore()
  const paid: string[] = []
  let think: () => void = () => undefined
  let isAsked: () => void = () => undefined
  const asked = new Promise<void>((resolve) => (isAsked = resolve))
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    effects: 'write',
    execute: () => void paid.push('paid'),
  })
  const clerk = new Agent({
    name: 'clerk',
    model: {
      model: 'slow',
      generate: async () => {
        isAsked()
        await new Promise<void>((resolve) => (think = resolve))
        return {
          parts: [{ kind: 'function_call', callId: 'p', name: 'pay', arguments: '{}' }],
          finishReason: 'tool_calls',
        }
      },
    },
    tools: [pay],
  })
  const boss = new Agent({
    store,
    clock,
    model: new ScriptedChatClient([{ calls: [{ name: 'clerk', arguments: { task: 'pay' } }] }, 'It took too long.']),
    tools: [clerk.asTool({ name: 'clerk', timeoutMs: 100 })],
  })
  const running = boss.run('pay once')
  await asked
  await clock.advance(100)
  const result = await running
  expect(result.text).toBe('It took too long.')
  think()
  await delay(0)
  expect(paid).toEqual([])
  const [call] = await store.journal.calls(result.runId)
  expect(call?.result?.errorCode).toBe('TIMEOUT')
  const inside = (await store.journal.runs({})).find(({ parent }) => parent !== null)
  expect(inside?.status).toBe('ended')
})

it('a result of the host is not taken for a run that has ended', async () => {
  const store = memoryStore()
  const { begun, boss } = office(store, [], 1)
  const first = await begun.run('go')
  await boss().run(first.approvals.map((one) => one.deny({ by: 'ann', reason: 'no' })))
  const waiting = (await store.journal.runs({})).find(({ parent }) => parent === null)
  const calls = (await Promise.all((await store.journal.runs({})).map(({ id }) => store.journal.calls(id)))).flat()
  const sign = calls.find(({ tool: name }) => name === 'sign')
  expect(sign?.state).toBe('AwaitingClient')
  await boss().resume(waiting?.id ?? '', aborted()).result
  const answer = {
    kind: 'function_result',
    callId: 'x',
    name: 'sign',
    call: sign?.id ?? null,
    status: 'success',
    content: [],
  } as const
  expect((await boss().run([answer])).refused).toMatchObject([{ reason: expect.stringContaining('does not wait') }])
  for (const call of [undefined, 7]) {
    await expect(boss().run([{ ...answer, call } as never])).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
  }
})
