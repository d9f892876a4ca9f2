import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, functionMiddleware, tool, type Middleware } from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

function agentUnder(middleware: readonly Middleware[], ran: string[]): Agent {
  return new Agent({
    model: new ScriptedChatClient([{ calls: [{ name: 'move', arguments: {} }] }, 'moved']),
    tools: [
      tool({
        name: 'move',
        description: 'Moves.',
        inputSchema: z.object({}),
        effects: 'write',
        execute: () => void ran.push('moved'),
      }),
    ],
    middleware,
  })
}

const asking = (reason: string): Middleware =>
  functionMiddleware(async (context, next) => {
    context.requireApproval({ reason })
    await next()
  })

it('consent to one unnamed piece is not consent to the next: each asks for itself', async () => {
  const ran: string[] = []
  const agent = agentUnder([asking('the first'), asking('the second')], ran)
  let result = await agent.run('go')
  const asked: (readonly [string | null, string])[] = []
  while (result.stopReason === 'approval_required') {
    expect(ran).toEqual([])
    asked.push(...result.approvals.map(({ askReason, askedBy }) => [askReason, askedBy] as const))
    result = await agent.run(result.approvals.map((one) => one.approve({ by: 'ann' })))
  }
  expect(asked.map(([reason]) => reason)).toEqual(['the first', 'the second'])
  expect(new Set(asked.map(([, by]) => by)).size).toBe(2)
  expect(ran).toEqual(['moved'])
})

it('pieces of the agent, of the run and of providers have names apart in the journal', async () => {
  const by: string[] = []
  const short = functionMiddleware(
    (context) => {
      context.result = 'short'
      by.push('inner')
    },
    { name: 'same' },
  )
  const passing = functionMiddleware((_, next) => next(), { name: 'same' })
  const agent = new Agent({
    model: new ScriptedChatClient([{ calls: [{ name: 'move', arguments: {} }] }, 'done']),
    tools: [tool({ name: 'move', description: 'Moves.', inputSchema: z.object({}), execute: () => 1 })],
    middleware: [passing],
    contextProviders: [{ name: 'p', beforeRun: (context) => context.addMiddleware(short) }],
  })
  const result = await agent.run('go', { middleware: [passing] })
  const [call] = await agent.store.journal.calls(result.runId)
  expect(by).toEqual(['inner'])
  expect(call?.transitions.map(({ detail }) => detail)).toContainEqual({ by: 'middleware:same (3)', executed: false })
})

it('what a guard throws before a call is told the logger, and nobody else', async () => {
  const told: string[] = []
  const guard = functionMiddleware(
    () => {
      throw new Error('the rules could not be read')
    },
    { name: 'rules', guard: true },
  )
  const agent = new Agent({
    model: new ScriptedChatClient([{ calls: [{ name: 'move', arguments: {} }] }, 'done']),
    tools: [tool({ name: 'move', description: 'Moves.', inputSchema: z.object({}), execute: () => 1 })],
    middleware: guard,
    logger: { info: () => undefined, warn: (message) => void told.push(message) },
  })
  const { messages } = await agent.run('go')
  expect(told).toEqual(['Middleware "rules" failed: the rules could not be read'])
  expect(JSON.stringify(messages)).not.toContain('could not be read')
})

it('a short circuit is told of the piece that made it, a change of its answer of the piece that changed it', async () => {
  const inner = functionMiddleware((context) => void (context.result = 'short'), { name: 'inner' })
  const outer = functionMiddleware(
    async (context, next) => {
      await next()
      context.result = 'changed'
    },
    { name: 'outer' },
  )
  const agent = new Agent({
    model: new ScriptedChatClient([{ calls: [{ name: 'move', arguments: {} }] }, 'done']),
    tools: [tool({ name: 'move', description: 'Moves.', inputSchema: z.object({}), execute: () => 1 })],
    middleware: [outer, inner],
  })
  const result = await agent.run('go')
  const [call] = await agent.store.journal.calls(result.runId)
  expect(call?.transitions.slice(-3).map(({ state, detail }) => [state, detail])).toEqual([
    ['Executing', { by: 'middleware:inner', executed: false }],
    ['Succeeded', { by: 'middleware:inner', executed: false }],
    ['Observed', { by: 'middleware:outer' }],
  ])
  expect(call?.result?.answer.content).toEqual([{ kind: 'text', text: 'changed' }])
})
