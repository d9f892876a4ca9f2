import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  memoryStore,
  tool,
  type AgentOptions,
  type InvocationContext,
  type LiveTools,
  type RunOptions,
  type RunResult,
  type Tool,
} from './index.ts'
import { ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

function named(name: string, options: { readonly needsApproval?: boolean; readonly text?: string } = {}): Tool {
  const { needsApproval = false, text = `${name} ran` } = options
  return tool({ name, description: `Does ${name}.`, inputSchema: z.object({}), needsApproval, execute: () => text })
}

/** A tool that does something with the context of its call. */
function doing(name: string, does: (context: InvocationContext) => unknown): Tool {
  return tool({
    name,
    description: `Does ${name}.`,
    inputSchema: z.object({}),
    execute: async (_, context) => {
      await does(context)
      return `${name} ran`
    },
  })
}

function calling(...names: readonly string[]): ScriptedTurn {
  return { calls: names.map((name) => ({ name })) }
}

function setting(tools: readonly Tool[], turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const model = new ScriptedChatClient(turns)
  const store = memoryStore()
  const agent = new Agent({ model, store, tools, ...options })
  const offered = (): readonly (readonly string[])[] =>
    model.requests.map(({ tools: told }) => told.map(({ name }) => name))
  const codes = async ({ runId }: RunResult): Promise<readonly string[]> =>
    (await store.journal.calls(runId)).map(({ tool: name, result }) => `${name} ${result?.errorCode ?? 'ok'}`)
  return { model, store, agent, offered, codes }
}

const play = {
  whole: (agent: Agent, options?: RunOptions): Promise<RunResult> => agent.run('go', options),
  streamed: async (agent: Agent, options?: RunOptions): Promise<RunResult> => {
    const stream = agent.stream('go', options)
    for await (const update of stream) expect(update.kind).toBeTypeOf('string')
    return stream.result
  },
}

describe('tools that appear and go while a run works', () => {
  it('MAF 110: an added tool can be called in the next turn and stays; a removed one is gone, its call under way goes on', async () => {
    let goOn: () => void = () => undefined
    const slow = doing('slow', () => new Promise<void>((resolve) => (goOn = resolve)))
    const change = doing('change', ({ tools }) => {
      tools.add(named('extra'))
      tools.remove('slow', 'never there')
      goOn()
    })
    for (const how of [play.whole, play.streamed]) {
      const { agent, offered, codes } = setting(
        [slow, change],
        [calling('slow', 'change'), calling('extra', 'slow'), calling('extra'), 'done'],
      )
      const result = await how(agent)
      expect(result.stopReason).toBe('answered')
      expect(offered()).toEqual([
        ['slow', 'change'],
        ['change', 'extra'],
        ['change', 'extra'],
        ['change', 'extra'],
      ])
      expect(await codes(result)).toEqual(['slow ok', 'change ok', 'extra ok', 'slow UNKNOWN_TOOL', 'extra ok'])
    }
  })

  it('MAF 111: tools are added all or none; the same again changes nothing; another one under a taken name is refused', async () => {
    const errors: unknown[] = []
    const extra = named('extra')
    const change = doing('change', ({ tools }) => {
      tools.add(extra)
      tools.add(extra, [extra])
      for (const bad of [[named('fresh'), named('extra')], [named('change')], [named('fresh'), 7]]) {
        try {
          tools.add(...(bad as readonly Tool[]))
        } catch (error) {
          errors.push(error)
        }
      }
    })
    const { agent, offered } = setting([change], [calling('change'), 'done'])
    expect((await agent.run('go')).stopReason).toBe('answered')
    expect(errors).toMatchObject([{ code: 'DUPLICATE_TOOL' }, { code: 'DUPLICATE_TOOL' }, { code: 'INVALID_TOOL' }])
    expect(offered()[1]).toEqual(['change', 'extra'])
  })

  it('MAF 112: works from every kind of middleware, with tools that ask, streamed and not', async () => {
    const once = (name: string) => {
      const seen = new Set<string>()
      return async (context: { readonly runId: string; readonly tools: LiveTools }, next: () => Promise<void>) => {
        if (!seen.has(context.runId)) context.tools.add(named(name, { needsApproval: name === 'of_function' }))
        seen.add(context.runId)
        await next()
      }
    }
    for (const how of [play.whole, play.streamed]) {
      const { agent, offered, codes } = setting(
        [named('own')],
        [calling('own', 'of_agent', 'of_chat'), calling('of_function'), 'done'],
        {
          middleware: [
            agentMiddleware(once('of_agent')),
            chatMiddleware(once('of_chat')),
            functionMiddleware(once('of_function')),
          ],
        },
      )
      const asked = await how(agent)
      expect(asked.stopReason).toBe('approval_required')
      expect(asked.approvals.map((approval) => approval.tool)).toEqual(['of_function'])
      const result = await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
      expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
      // What chat middleware adds is told with the next turn: the request of this one was made before.
      expect(offered()).toEqual([
        ['own', 'of_agent'],
        ['own', 'of_agent', 'of_chat', 'of_function'],
        ['own', 'of_agent', 'of_chat', 'of_function'],
      ])
      expect(await codes(result)).toEqual(['own ok', 'of_agent ok', 'of_chat ok', 'of_function ok'])
    }
  })

  it('MAF 113: after the run, whoever still holds its tools cannot change them', async () => {
    const held: LiveTools[] = []
    const keep = functionMiddleware(async (context, next) => {
      held.push(context.tools)
      await next()
    })
    const { agent } = setting([doing('own', ({ tools }) => held.push(tools))], [calling('own'), 'done'], {
      middleware: keep,
    })
    await agent.run('go')
    expect(held).toHaveLength(2)
    for (const tools of held) {
      expect(() => tools.add(named('late'))).toThrow(expect.objectContaining({ code: 'RUN_ENDED' }))
      expect(() => tools.remove('own')).toThrow(expect.objectContaining({ code: 'RUN_ENDED' }))
      expect(tools.list().map(({ name }) => name)).toEqual(['own'])
    }
    expect(agent.tools().map(({ name }) => name)).toEqual(['own'])
  })

  it('a run that waits keeps what it gained and lost, in the same process; the agent and its other runs see nothing of it', async () => {
    const change = doing('change', ({ tools }) => {
      tools.add(named('extra', { needsApproval: true }))
      tools.remove('own')
      tools.add(named('own', { text: 'another' }))
      tools.remove('own')
    })
    const { agent, offered } = setting(
      [change, named('own')],
      [calling('change'), calling('extra'), 'elsewhere', 'done'],
    )
    const asked = await agent.run('go')
    expect(asked.stopReason).toBe('approval_required')
    await agent.run('another conversation')
    const result = await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(JSON.stringify(result.messages)).toContain('extra ran')
    expect(offered()).toEqual([
      ['change', 'own'],
      ['change', 'extra'],
      ['change', 'own'],
      ['change', 'extra'],
    ])
  })

  it('calls of one turn run with the tools that turn was asked with', async () => {
    const { agent, codes } = setting(
      [doing('remove', ({ tools }) => tools.remove('own')), named('own')],
      [calling('remove', 'own'), calling('own'), 'done'],
      { concurrency: 1 },
    )
    expect(await codes(await agent.run('go'))).toEqual(['remove ok', 'own ok', 'own UNKNOWN_TOOL'])
  })

  it('tools and middleware of one run are those of that run alone, side by side with another', async () => {
    const seen: string[] = []
    const noting = (name: string) =>
      functionMiddleware(async (context, next) => {
        seen.push(`${name} ${context.tool.name}`)
        await next()
      })
    const turns: readonly ScriptedTurn[] = [
      ({ tools }) => calling(tools.at(-1)?.name ?? ''),
      ({ tools }) => calling(tools.at(-1)?.name ?? ''),
      'done',
      'done',
    ]
    const { agent } = setting([named('own')], turns, { middleware: noting('agent') })
    await Promise.all([
      agent.run('one', { tools: [named('only_one')], middleware: noting('one') }),
      agent.run('two', { tools: [named('only_two')], middleware: noting('two') }),
    ])
    expect(seen.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'agent only_one',
      'agent only_two',
      'one only_one',
      'two only_two',
    ])
    expect(agent.tools().map(({ name }) => name)).toEqual(['own'])
  })

  it('what chat middleware does to the list of tools it was given changes no other turn', async () => {
    const errors: unknown[] = []
    const { agent, offered } = setting([named('own')], [calling('own'), 'done', 'again'], {
      middleware: chatMiddleware(async (context, next) => {
        try {
          ;(context.request.tools as unknown[]).length = 0
        } catch (error) {
          errors.push(error)
        }
        await next()
      }),
    })
    await agent.run('go')
    await agent.run('again')
    expect(errors).toHaveLength(3)
    expect(offered()).toEqual([['own'], ['own'], ['own']])
  })
})
