import { readFileSync } from 'node:fs'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { Agent, agentMiddleware, chatMiddleware, functionMiddleware, tool, type Middleware, type Next } from 'fairlead'
import { describe, expect, it } from 'vitest'
import { ordered as bought, run } from '../../../docs/guides/snippets/agents-as-tools.ts'
import { toolsOfEachTurn } from '../../../docs/guides/snippets/appearing-tools.ts'
import { order, ordered } from '../../../docs/guides/snippets/change-calls.ts'
import { ask } from '../../../docs/guides/snippets/change-turns.ts'
import * as fromAiSdk from '../../../docs/guides/snippets/coming-from-the-ai-sdk.ts'
import * as fromMaf from '../../../docs/guides/snippets/coming-from-microsoft-agent-framework.ts'
import { readShelf, told } from '../../../docs/guides/snippets/context-provider.ts'
import { orderAs } from '../../../docs/guides/snippets/guards.ts'
import { complete, short } from '../../../docs/guides/snippets/loop-agent.ts'
import { lines, lookTwice, timings } from '../../../docs/guides/snippets/ready-pieces.ts'
import { askForCoffee, seen } from '../../../docs/guides/snippets/three-kinds.ts'

describe('write middleware', () => {
  it('three kinds wrap the run, each turn and each call', async () => {
    expect(await askForCoffee()).toBe('There are 12.')
    expect(seen).toEqual([
      'run: 1 message',
      'turn 1',
      'call count_stock {"article":"coffee"}',
      'call ended: success',
      'turn 2',
      'run stopped: answered',
    ])
    const guide = readFileSync(new URL('../../../docs/guides/write-middleware.md', import.meta.url), 'utf8')
    expect(guide).toContain(`\n${seen.join('\n')}\n`)
  })

  it('changes arguments before, the result after, or answers instead; and ends the run', async () => {
    const capped = await order('coffee', 500)
    expect(ordered).toEqual([100])
    expect(capped).toContain('"terminated"')
    expect(capped).toContain('{"count":100}')
    expect(capped).not.toContain('north')
    expect(await order('tea', 5)).toContain('nothing was ordered')
    expect(ordered).toEqual([100])
  })

  it('a guard refuses, and asks a person', async () => {
    const [nobody, refused] = await orderAs([])
    expect(nobody).toBeUndefined()
    expect(refused).toContain('PERMISSION_DENIED: Only somebody with the role')
    const [askedBy, done] = await orderAs(['buyer'])
    expect(askedBy).toBe('middleware:ask_for_large')
    expect(done).toContain('{"ordered":60}')
  })

  it('changes what a model is asked and says', async () => {
    const { text, asked } = await ask()
    expect(text).toBe('There are 12.\n(from count_stock)')
    expect(asked.map(({ instructions }) => instructions)).toEqual(
      Array.from({ length: 3 }, () => 'Answer in one sentence.'),
    )
  })

  it('the ready pieces work together', async () => {
    const messages = await lookTwice()
    expect(messages).not.toContain('ann@example.org')
    expect(messages.match(/\[email\]/g)).toHaveLength(2)
    expect(messages).toContain('RATE_LIMITED')
    expect(lines.map((line) => line.replace(/\d+ ms/, '0 ms'))).toEqual([
      'find_customer: Succeeded, 0 ms',
      'find_customer: Succeeded, 0 ms',
      'find_customer: Rejected, RATE_LIMITED',
    ])
    expect(timings.map(({ kind }) => kind)).toEqual(['turn', 'call', 'turn', 'call', 'turn', 'call', 'turn', 'run'])
  })
})

describe('write middleware: what happens when it throws', () => {
  const boom = (): never => {
    throw new Error('boom')
  }
  const before = async (): Promise<void> => boom()
  const after = async (_: unknown, next: Next): Promise<void> => {
    await next()
    boom()
  }
  const wraps = { agent: agentMiddleware, chat: chatMiddleware, function: functionMiddleware }

  async function outcome(middleware: Middleware): Promise<string> {
    const inputSchema = { type: 'object', properties: {} } as const
    const look = tool({ name: 'look', description: 'Looks.', inputSchema, execute: () => 'seen' })
    const model = new ScriptedChatClient([{ calls: [{ name: 'look' }] }, 'Done.'])
    const result = await new Agent({ model, tools: [look], middleware }).run('Go.')
    const codes = result.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === 'function_result' ? [part.errorCode ?? 'ok'] : [])),
    )
    return [result.stopReason, ...codes].join(' ')
  }

  it.each([
    ['function', before, 'answered INTERNAL', 'answered POLICY_ERROR'],
    ['function', after, 'answered RESULT_WITHHELD', 'terminated RESULT_WITHHELD'],
    ['chat', before, 'model_error', 'terminated'],
    ['chat', after, 'model_error', 'terminated'],
    ['agent', before, 'terminated', 'terminated'],
    ['agent', after, 'terminated ok', 'terminated ok'],
  ] as const)('%s middleware, %o', async (kind, handle, piece, guard) => {
    expect(await outcome(wraps[kind](handle))).toBe(piece)
    expect(await outcome(wraps[kind](handle, { guard: true }))).toBe(guard)
  })

  it('hooks on a stream', async () => {
    const turns = chatMiddleware(async (context, next) => {
      context.stream.map(boom)
      await next()
    })
    const runs = agentMiddleware(async (context, next) => {
      context.stream.tap(boom)
      await next()
    })
    expect(await outcome(turns)).toBe('model_error')
    expect(await outcome(runs)).toContain('terminated')
    const model = new ScriptedChatClient(['Done.'])
    const { error } = await new Agent({ model, middleware: runs }).run('Go.')
    expect(error).toBe('A hook on the stream of the run failed: boom')
  })

  it('hooks on a run see no beginning, and its stop after onEnd', async () => {
    const kinds: string[] = []
    const hooks = agentMiddleware(async (context, next) => {
      context.stream.tap((update) => kinds.push(update.kind))
      context.stream.onEnd(() => kinds.push('onEnd'))
      await next()
    })
    await new Agent({ model: new ScriptedChatClient(['Done.']), middleware: hooks }).run('Go.')
    expect(kinds).not.toContain('run-started')
    expect(kinds.slice(-2)).toEqual(['onEnd', 'run-stopped'])
  })
})

describe('tools that appear while you work', () => {
  it('a change takes effect with the next turn', async () => {
    expect(await toolsOfEachTurn()).toEqual([['open_returns'], ['open_returns', 'return_article'], ['open_returns']])
  })

  it('a context provider brings tools for this principal, or stops the run', async () => {
    expect(await readShelf('north')).toContain('north: coffee')
    expect(await readShelf()).toBe('Context provider "tenant" failed: Nobody without a tenant.')
    expect(told).toEqual(['ann: answered', 'ann: terminated'])
  })
})

describe('agents as tools', () => {
  it('an approval inside comes through, and the inner agent goes on', async () => {
    const asked: string[] = []
    const text = await run((request) => {
      asked.push(`${request.tool} ${JSON.stringify(request.path)} ${bought.length}`)
      return true
    })
    expect(text).toBe('Coffee is on its way.')
    expect(asked).toEqual(['order_article ["buy"] 0'])
    expect(bought).toEqual(['coffee'])
  })

  it('loops until code or a judge says that it is done', async () => {
    expect(await short()).toMatchObject({ text: 'Short.', loops: 2, loopsExhausted: false })
    expect(await complete()).toMatchObject({ text: 'Buy 12 coffee from the north.', loops: 2 })
  })
})

const trip = [{ calls: [{ name: 'bookTrain', arguments: { to: 'Oslo' } }] }, { text: 'Your train is booked.' }] as const

it.each([
  [true, 'Booked to Oslo.'],
  [false, 'Too late for me.'],
])('coming from the AI SDK: a stream with an approval between (%s)', async (answer, found) => {
  const model = new ScriptedChatClient(trip)
  const { text, streamed } = await fromAiSdk.plan(fromAiSdk.travelAgent(model), 'Oslo, please.', () => answer)
  expect([text, streamed]).toEqual(['Your train is booked.', 'Your train is booked.'])
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(found)
})

it('coming from the AI SDK: their model is taken as it is', async () => {
  const text = [{ type: 'text', text: 'Clear.' }]
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const agent = fromAiSdk.travelAgentWith({
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    doGenerate: async () => ({ content: text, finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }),
    doStream: async () => {
      throw new Error('not streamed here')
    },
  } as Parameters<typeof fromAiSdk.travelAgentWith>[0])
  expect((await agent.run('What is the weather?')).text).toBe('Clear.')
})

it('coming from the AI SDK: what their tool does not say is unknown, a tool around it says it', () => {
  const contracts = fromAiSdk.travelAgent(new ScriptedChatClient([])).tools()
  expect(contracts.map((contract) => [contract.name, contract.effects, contract.risk, contract.class])).toEqual([
    ['weather', 'read', 'low', 'readOnly'],
    ['bookTrain', 'unknown', 'high', 'nonIdempotent'],
  ])
})

describe('coming from Microsoft Agent Framework', () => {
  const call = (name: string, args: { readonly [key: string]: string }) => ({ calls: [{ name, arguments: args }] })

  it('a conversation with an approval, serialised', async () => {
    const model = new ScriptedChatClient([call('book_train', { to: 'Oslo' }), 'Booked.'])
    const { text, kept } = await fromMaf.plan(fromMaf.travelAgent(model), 'Oslo, please.')
    expect(text).toBe('Booked.')
    expect(kept).toContain('Booked to Oslo.')
    expect(model.requests[0]?.instructions).toBe('You plan trips.\n\nAnn likes window seats.')
  })

  it('middleware that terminates', async () => {
    const model = new ScriptedChatClient([call('book_train', { to: 'nowhere' })])
    const agent = fromMaf.travelAgent(model)
    const asked = await agent.run('Away.')
    const result = await agent.run(asked.approvals.map((request) => request.approve({ by: 'ann' })))
    expect(result.stopReason).toBe('terminated')
    expect(JSON.stringify(result.messages)).toContain('There is no such train.')
  })
})
