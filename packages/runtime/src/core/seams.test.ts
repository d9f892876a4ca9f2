import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, directExecutor, memoryStore, tool, type CallRecord, type Labels, type RunUpdate } from './index.ts'
import { ManualClock, ScriptedChatClient } from '../testing/index.ts'

const input = z.object({ text: z.string() })

function echo(execute: (args: { text: string }, context: { call: CallRecord }) => unknown) {
  return tool({ name: 'echo', description: 'Says it back.', inputSchema: input, effects: 'read', execute })
}

const oneCall = [{ calls: [{ name: 'echo', arguments: { text: '$secret' } }] }, 'done']

describe('the seams of the pipeline', () => {
  it('Labels expands references just before execution; journal and approval digest keep the reference', async () => {
    const seen: string[] = []
    const labels: Labels = {
      expand: (args) => ({ ...args, text: 'the value' }),
      conceal: (items) => items,
    }
    const agent = new Agent({
      model: new ScriptedChatClient(oneCall),
      tools: [echo(({ text }) => seen.push(text))],
      labels,
    })
    const result = await agent.run('go')
    expect(seen).toEqual(['the value'])
    expect((await agent.store.journal.calls(result.runId))[0]?.arguments).toEqual({ text: '$secret' })
  })

  it('Labels replaces an item of a result before the model sees it; the evidence keeps the value', async () => {
    const labels: Labels = { expand: (args) => args, conceal: async () => [{ kind: 'text', text: '$var1' }] }
    const agent = new Agent({ model: new ScriptedChatClient(oneCall), tools: [echo(() => 'poisoned words')], labels })
    const result = await agent.run('go')
    expect(JSON.stringify(result.messages)).not.toContain('poisoned')
    const [call] = await agent.store.journal.calls(result.runId)
    expect(call?.result?.answer.content).toEqual([{ kind: 'text', text: '$var1' }])
    expect((await agent.store.evidence.get(call?.result?.evidenceUri ?? ''))?.value).toBe('poisoned words')
  })

  it.each<readonly [string, Labels, number]>([
    [
      'expand throws: the call does not run',
      {
        expand: () => {
          throw new Error('unknown label')
        },
        conceal: (items) => items,
      },
      0,
    ],
    [
      'conceal rejects: the result is withheld',
      { expand: (args) => args, conceal: () => Promise.reject(new Error('unknown label')) },
      1,
    ],
  ])('Labels fails closed: %s', async (_, labels, runs) => {
    let ran = 0
    const agent = new Agent({
      model: new ScriptedChatClient(oneCall),
      tools: [echo(() => `result ${++ran}`)],
      labels,
    })
    const result = await agent.run('go')
    expect(ran).toBe(runs)
    expect(JSON.stringify(result.messages)).not.toContain('result 1')
    expect((await agent.store.journal.calls(result.runId))[0]?.result?.errorCode).toBe('INTERNAL')
    expect(result.stopReason).toBe('answered')
  })

  it('the Recorder hears every transition of every call, in order, before its effect', async () => {
    const heard: string[] = []
    const recorder = {
      record: (steps: readonly { readonly transitions: readonly { readonly state: string }[] }[]) => {
        for (const step of steps) heard.push(...step.transitions.map(({ state }) => state))
      },
    }
    let heardAtExecution: readonly string[] = []
    const agent = new Agent({
      model: new ScriptedChatClient(oneCall),
      tools: [
        echo(() => {
          heardAtExecution = [...heard]
          return 'x'
        }),
      ],
      recorder,
    })
    await agent.run('go')
    expect(heardAtExecution).toEqual(['Requested', 'Validated', 'PolicyChecked', 'Executing'])
    expect(heard).toEqual([...heardAtExecution, 'Succeeded', 'Observed'])
  })

  it('an Executor takes the place of the direct call', async () => {
    const agent = new Agent({
      model: new ScriptedChatClient(oneCall),
      tools: [echo(() => 'direct')],
      executor: { execute: async (...call) => `around ${String(await directExecutor.execute(...call))}` },
    })
    const result = await agent.run('go')
    expect(JSON.stringify(result.messages)).toContain('around direct')
  })

  it('an observation mapper that throws withholds the result', async () => {
    const agent = new Agent({
      model: new ScriptedChatClient(oneCall),
      tools: [echo(() => 'raw words')],
      observation: {
        map: () => {
          throw new Error('broken')
        },
      },
    })
    const result = await agent.run('go')
    expect(JSON.stringify(result.messages)).not.toContain('raw words')
    expect(result.stopReason).toBe('answered')
  })

  it('a result beyond the budget is not shown; the model gets its summary and where it is kept', async () => {
    const agent = new Agent({
      model: new ScriptedChatClient(oneCall),
      tools: [echo(() => 'long '.repeat(20_000))],
    })
    const result = await agent.run('go')
    const [call] = await agent.store.journal.calls(result.runId)
    const shown = JSON.stringify(call?.result?.answer.content)
    expect(shown.length).toBeLessThan(1000)
    expect(shown).toContain(call?.result?.evidenceUri)
    expect((await agent.store.evidence.get(call?.result?.evidenceUri ?? ''))?.value).toHaveLength(100_000)
  })
})

describe('the invocation context', () => {
  it('tells who the call acts for, where, and a key that is the same for one call and different for every other', async () => {
    const keys: string[] = []
    const contexts: object[] = []
    const noting = tool({
      name: 'note_it',
      description: 'Notes its context.',
      inputSchema: z.object({}),
      execute: (_, context) => {
        keys.push(context.idempotencyKey, context.idempotencyKey)
        contexts.push({
          principal: context.principal,
          environment: context.environment,
          session: context.session.id,
          services: context.services,
          attempt: context.attempt,
        })
      },
    })
    const agent = new Agent({
      model: new ScriptedChatClient([{ calls: [{ name: 'note_it' }, { name: 'note_it' }] }, 'done']),
      tools: [noting],
      services: { database: 'db' },
    })
    const session = await agent.session('s1')
    await agent.run('go', { session, principal: { id: 'ann', roles: ['oncall'] }, environment: 'prod' })
    expect(contexts[0]).toEqual({
      principal: { id: 'ann', roles: ['oncall'] },
      environment: 'prod',
      session: 's1',
      services: { database: 'db' },
      attempt: 1,
    })
    expect(keys[0]).toBe(keys[1])
    expect(keys[2]).toBe(keys[3])
    expect(keys[0]).not.toBe(keys[2])
  })

  it('progress reaches the stream while the call is under way', async () => {
    const agent = new Agent({
      model: new ScriptedChatClient([{ calls: [{ name: 'slow' }] }, 'done']),
      tools: [
        tool({
          name: 'slow',
          description: 'Slow.',
          inputSchema: z.object({}),
          execute: async (_, context) => {
            context.progress({ percent: 50 })
            await sleep(1)
          },
        }),
      ],
    })
    const kinds: RunUpdate['kind'][] = []
    for await (const update of agent.stream('go')) kinds.push(update.kind)
    const progressAt = kinds.indexOf('tool-progress')
    expect(progressAt).toBeGreaterThan(kinds.indexOf('call-moved'))
    expect(progressAt).toBeLessThan(kinds.lastIndexOf('call-moved'))
  })
})

describe('a deadline of a tool', () => {
  it.each([
    ['read', 'readOnly', 'TIMEOUT', 'Observed'],
    ['write', 'idempotencyKey', 'TIMEOUT', 'Observed'],
    ['write', 'nonIdempotent', 'IN_DOUBT', 'Unknown'],
  ] as const)(
    'a %s of class %s that hangs past it is answered %s and ends %s; the run goes on',
    async (effects, toolClass, code, state) => {
      const clock = new ManualClock()
      let aborted = false
      const started = deferred()
      const agent = new Agent({
        model: new ScriptedChatClient([{ calls: [{ name: 'hangs' }] }, 'done']),
        clock,
        store: memoryStore(),
        tools: [
          tool({
            name: 'hangs',
            description: 'Hangs.',
            inputSchema: z.object({}),
            effects,
            class: toolClass,
            timeoutMs: 1000,
            execute: (_, context) => {
              context.signal.addEventListener('abort', () => (aborted = true))
              started.resolve()
              return new Promise(() => undefined)
            },
          }),
        ],
      })
      const running = agent.run('go')
      await started.promise
      await clock.advance(1000)
      const result = await running
      expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
      expect(aborted).toBe(true)
      expect((await agent.store.journal.calls(result.runId))[0]).toMatchObject({ state, result: { errorCode: code } })
    },
  )
})

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve }
}
