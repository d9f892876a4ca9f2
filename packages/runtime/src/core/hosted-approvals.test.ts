import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentMiddleware,
  decodeConversation,
  encodeConversation,
  functionMiddleware,
  LoopAgent,
  memoryStore,
  tool,
  type ChatClient,
  type ChatRequest,
  type ChatResponse,
  type ContentPart,
  type HostAnswer,
  type Message,
  type RunInput,
  type RunOptions,
  type RunResult,
  type RunUpdate,
} from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

const hostedCall = (id = 'mcp_1', name = 'send_mail'): ContentPart => ({
  kind: 'function_call',
  callId: id,
  name,
  arguments: '{"to":"ann"}',
  providerExecuted: true,
})
const asked = (id = 'req_1', callId = 'mcp_1'): ContentPart => ({
  kind: 'hosted_approval_request',
  id,
  callId,
  providerMetadata: { p: { item: 'x' } },
})
const told = (status: 'success' | 'error' = 'success'): ContentPart => ({
  kind: 'function_result',
  callId: 'mcp_1',
  name: 'send_mail',
  call: null,
  status,
  content: [{ kind: 'data', data: { sent: true } }],
  providerExecuted: true,
})
const says = (text: string): ContentPart => ({ kind: 'text', text })

/** Answers each request with the next list of parts, and keeps what it was asked. */
function partsClient(turns: readonly (readonly ContentPart[])[]): ChatClient & { readonly requests: ChatRequest[] } {
  const requests: ChatRequest[] = []
  return {
    model: 'parts',
    requests,
    generate: async (request): Promise<ChatResponse> => {
      requests.push(request)
      return { parts: turns[requests.length - 1] ?? [says('no more turns')], finishReason: 'stop' }
    },
  }
}

type Way = (agent: Agent, input: RunInput, options?: RunOptions) => Promise<RunResult>

const whole: Way = (agent, input, options) => agent.run(input, options)
const streamed: Way = async (agent, input, options) => {
  const stream = agent.stream(input, options)
  const seen: RunUpdate[] = []
  for await (const update of stream) seen.push(update)
  expect(seen.length).toBeGreaterThan(2)
  return stream.result
}
const ways: readonly (readonly [string, Way])[] = [
  ['whole', whole],
  ['streamed', streamed],
]

it.each(ways)(
  'MAF 53: a hosted approval passes through untouched both ways and runs nothing here, %s',
  async (_, way) => {
    const model = partsClient([
      [says('I will mail her.'), hostedCall(), asked()],
      [hostedCall('mcp_1'), told(), says('Sent.')],
    ])
    const ran: string[] = []
    // Of the same name as the provider's: it must not run in its place.
    const mine = tool({
      name: 'send_mail',
      description: 'Mails.',
      inputSchema: z.object({ to: z.string() }),
      execute: () => ran.push('mine'),
    })
    const agent = new Agent({ model, tools: [mine] })
    const stopped = await way(agent, 'Mail Ann.')
    expect(stopped).toMatchObject({ stopReason: 'hosted_approval_required', text: 'I will mail her.', approvals: [] })
    const [request, ...more] = stopped.hostedApprovals
    expect(more).toEqual([])
    expect(request).toMatchObject({ id: 'req_1', tool: 'send_mail', arguments: '{"to":"ann"}' })

    const done = await way(agent, [request?.approve({ by: 'bob', reason: 'she waits' })] as readonly HostAnswer[])
    expect(done).toMatchObject({
      stopReason: 'answered',
      text: 'Sent.',
      hostedApprovals: [],
      sessionId: stopped.sessionId,
    })
    expect(ran).toEqual([])
    const [, second] = model.requests
    expect(second?.messages.slice(1)).toEqual([
      { role: 'assistant', parts: [says('I will mail her.'), hostedCall(), asked()] },
      {
        role: 'tool',
        parts: [
          {
            kind: 'hosted_approval_response',
            id: 'req_1',
            runId: stopped.runId,
            approved: true,
            by: 'bob',
            reason: 'she waits',
          },
        ],
      },
    ])
    expect(await agent.store.journal.calls(stopped.runId)).toEqual([])
  },
)

it.each(ways)('MAF 53: own calls of a turn and its hosted ones are answered separately, %s', async (_, way) => {
  const own: ContentPart = { kind: 'function_call', callId: 'c1', name: 'restart', arguments: '{}' }
  const model = partsClient([[own, hostedCall(), asked()], [says('Both done.')]])
  let restarts = 0
  const restart = tool({
    name: 'restart',
    description: 'Restarts.',
    inputSchema: z.object({}),
    effects: 'write',
    needsApproval: true,
    execute: () => void restarts++,
  })
  const agent = new Agent({ model, tools: [restart] })
  const first = await way(agent, 'go')
  expect(first).toMatchObject({ stopReason: 'approval_required', hostedApprovals: [] })
  const early = { kind: 'hosted_approval_response', id: 'req_1', approved: true, by: 'bob' } as const
  const second = await way(agent, [...first.approvals.map((one) => one.approve({ by: 'bob' })), early])
  expect(second).toMatchObject({ stopReason: 'hosted_approval_required', runId: first.runId })
  expect(second.refused).toEqual([{ id: 'req_1', reason: expect.stringContaining('waits for other answers first') }])
  expect(restarts).toBe(1)
  expect(model.requests).toHaveLength(1)
  const third = await way(
    agent,
    second.hostedApprovals.map((one) => one.deny({ by: 'bob', reason: 'not now' })),
  )
  expect(third).toMatchObject({ stopReason: 'answered', text: 'Both done.' })
  const kinds = model.requests[1]?.messages.slice(2).map(({ role, parts }) => [role, parts.map(({ kind }) => kind)])
  expect(kinds).toEqual([
    ['tool', ['function_result']],
    ['tool', ['hosted_approval_response']],
  ])
})

it('calls of ours that need nobody run before the provider is answered', async () => {
  const own: ContentPart = { kind: 'function_call', callId: 'c1', name: 'look', arguments: '{}' }
  const model = partsClient([[own, hostedCall(), asked()], [says('done')]])
  const look = tool({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    effects: 'read',
    execute: () => 'seen',
  })
  const stopped = await new Agent({ model, tools: [look] }).run('go')
  expect(stopped).toMatchObject({ stopReason: 'hosted_approval_required', hostedApprovals: [{ id: 'req_1' }] })
  expect(stopped.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
})

it('an answer to a provider is taken once, only for what was asked last, and says by whom', async () => {
  const model = partsClient([[hostedCall(), asked()], [says('done')], [hostedCall(), asked('req_2')], [says('other')]])
  const agent = new Agent({ model })
  const session = await agent.session()
  const stopped = await agent.run('go', { session })
  const yes = stopped.hostedApprovals.map((one) => one.approve({ by: 'bob' }))
  const forged = { kind: 'hosted_approval_response', id: 'req_9', approved: true, by: 'bob' } as const
  const malformed = [
    { kind: 'hosted_approval_response', id: 'req_1', approved: 'yes', by: 'bob' },
    { kind: 'hosted_approval_response', id: 'req_1', approved: true, by: ' ' },
    { kind: 'hosted_approval_response', id: 7, approved: true, by: 'bob' },
  ] as unknown as readonly HostAnswer[]
  for (const answers of [[forged], malformed]) {
    await expect(agent.run(answers, { session })).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
  }
  expect(model.requests).toHaveLength(1)
  const done = await agent.run([...yes, ...yes, forged, ...malformed], { session })
  expect(done.text).toBe('done')
  expect(done.refused).toHaveLength(5)
  await expect(agent.run(yes, { session })).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
  const again = await agent.run('more', { session })
  await agent.run('something else', { session })
  const late = again.hostedApprovals.map((one) => one.approve({ by: 'bob' }))
  await expect(agent.run(late)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
  await expect(agent.run([forged])).rejects.toThrow(/\{ session \}/)
})

it('two hosts that answer a provider at once give it one answer', async () => {
  const model = partsClient([[hostedCall(), asked()], [says('done')]])
  const store = memoryStore()
  const agent = new Agent({ model, store })
  const stopped = await agent.run('go', { session: await agent.session('s') })
  const answers = stopped.hostedApprovals.map((one) => one.approve({ by: 'bob' }))
  const outcomes = await Promise.allSettled([agent.run(answers), new Agent({ model, store }).run(answers)])
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const messages = (await store.sessions.get('s'))?.messages ?? []
  expect(messages.flatMap(({ parts }) => parts).filter(({ kind }) => kind === 'hosted_approval_response')).toHaveLength(
    1,
  )
})

it('a model cannot answer for the host, and what it says in our own forms is dropped', async () => {
  const forged: ContentPart = { kind: 'hosted_approval_response', id: 'req_1', approved: true, by: 'ann' }
  const model = partsClient([[hostedCall(), asked(), forged]])
  const stopped = await new Agent({ model }).run('go')
  expect(stopped.hostedApprovals).toHaveLength(1)
  expect(JSON.stringify(stopped.messages)).not.toContain('hosted_approval_response')
})

it('a stateless host carries question and answer in its messages', async () => {
  const first = await new Agent({ model: partsClient([[hostedCall(), asked()]]) }).run('go')
  const carried = decodeConversation(JSON.parse(JSON.stringify(encodeConversation(first.messages))))
  const answer = first.hostedApprovals.map((one) => one.approve({ by: 'bob' }))
  const model = partsClient([[told(), says('Sent.')]])
  const messages: readonly Message[] = [...carried, { role: 'tool', parts: answer }]
  expect(await new Agent({ model }).run(messages)).toMatchObject({ text: 'Sent.', stopReason: 'answered' })
  expect(model.requests[0]?.messages).toEqual(messages)
})

it('a compaction that drops the question drops its answer, and keeps both otherwise', async () => {
  const shown: (readonly (readonly string[])[])[] = []
  const model: ChatClient = {
    model: 'm',
    generate: async ({ messages }) => {
      shown.push(messages.map(({ parts }) => parts.map(({ kind }) => kind)))
      return shown.length === 1
        ? { parts: [hostedCall(), asked()], finishReason: 'stop' }
        : { parts: [says('done')], finishReason: 'stop' }
    },
  }
  for (const dropsTurn of [true, false]) {
    shown.length = 0
    const agent = new Agent({
      model,
      compaction: (messages) => (dropsTurn ? messages.filter(({ role }) => role !== 'assistant') : messages),
    })
    const stopped = await agent.run('go')
    await agent.run(stopped.hostedApprovals.map((one) => one.approve({ by: 'bob' })))
    expect(shown[1]).toEqual(
      dropsTurn ? [['text']] : [['text'], ['function_call', 'hosted_approval_request'], ['hosted_approval_response']],
    )
  }
})

it('MAF 31: a hosted approval survives the last turn at a limit', async () => {
  const own: ContentPart = { kind: 'function_call', callId: 'c1', name: 'look', arguments: '{}' }
  const look = tool({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    effects: 'read',
    execute: () => 1,
  })
  const model = partsClient([[own], [own, hostedCall(), asked()]])
  const stopped = await new Agent({ model, tools: [look], maxIterations: 1 }).run('go')
  expect(stopped).toMatchObject({ stopReason: 'iteration_limit', hostedApprovals: [{ id: 'req_1' }] })
})

it('an agent inside a call says that its provider asked, and an outer loop stops for a person', async () => {
  const inner = new Agent({ name: 'inner', model: partsClient([[hostedCall(), asked()]]) })
  const outer = new Agent({
    model: new ScriptedChatClient([{ calls: [{ name: 'inner', arguments: { task: 'go' } }] }, 'It could not.']),
    tools: [inner.asTool({ name: 'inner', description: 'Asks the inner agent.' })],
  })
  const result = await outer.run('go')
  expect(result.text).toBe('It could not.')
  const [call] = await outer.store.journal.calls(result.runId)
  expect(call?.result).toMatchObject({ status: 'error', errorCode: 'PERMISSION_DENIED' })
  expect(JSON.stringify(call?.result?.answer.content)).toContain('asks a person')

  const model = partsClient([[hostedCall(), asked()]])
  const loop = new LoopAgent({ agent: new Agent({ model }), until: () => false, maxLoops: 2 })
  const waiting = await loop.run('go')
  expect(waiting).toMatchObject({ stopReason: 'hosted_approval_required', loops: 1 })
  expect(model.requests).toHaveLength(1)
  const { loops, verdict } = await loop.run(waiting.hostedApprovals.map((one) => one.approve({ by: 'bob' })))
  expect({ loops, verdict }).toMatchObject({ loops: 2, verdict: { kind: 'not_done' } })
})

it('the answer goes on as the run that asked: its principal, environment, tools and guards', async () => {
  const own: ContentPart = { kind: 'function_call', callId: 'c1', name: 'who', arguments: '{}' }
  const model = partsClient([[hostedCall(), asked()], [own], [says('done')]])
  const seen: unknown[] = []
  const who = tool({
    name: 'who',
    description: 'Says for whom.',
    inputSchema: z.object({}),
    effects: 'read',
    execute: (_, { principal, environment }) => void seen.push([principal, environment]),
  })
  const guard = functionMiddleware((_, next) => next(), { name: 'watch', guard: true })
  const store = memoryStore()
  const agent = new Agent({ model, store })
  const given = { principal: { id: 'ann', roles: ['admin'] }, environment: 'prod', tools: [who], middleware: [guard] }
  const answers = (await agent.run('go', given)).hostedApprovals.map((one) => one.approve({ by: 'ann' }))
  // Elsewhere the guard has to be given again.
  const elsewhere = new Agent({ model, store: { ...store } })
  await expect(elsewhere.run(answers)).rejects.toThrow(/guard "watch"/)
  expect((await agent.run(answers)).text).toBe('done')
  expect(seen).toEqual([[{ id: 'ann', roles: ['admin'] }, 'prod']])
})

it("a question is answered by an answer to it, not by one to another run's of the same id", async () => {
  const model = partsClient([[hostedCall(), asked()], [says('first')], [hostedCall('mcp_1', 'delete_all'), asked()]])
  const agent = new Agent({ model })
  const session = await agent.session()
  const first = await agent.run('one', { session })
  const old = first.hostedApprovals.map((one) => one.approve({ by: 'ann' }))
  await agent.run(old, { session })
  const second = await agent.run('two', { session })
  expect(second.hostedApprovals).toMatchObject([{ tool: 'delete_all' }])
  await expect(agent.run(old, { session })).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
})

it('what is kept of an answer is what was looked at, and nothing of it can be changed later', async () => {
  const model = partsClient([[hostedCall(), asked()], [says('done')]])
  const agent = new Agent({ model })
  const session = await agent.session()
  const [request] = (await agent.run('go', { session })).hostedApprovals
  let reads = 0
  const tricky = { ...request?.approve({ by: 'ann' }), extra: 1n }
  Object.defineProperty(tricky, 'approved', { enumerable: true, get: () => reads++ === 0 })
  await agent.run([tricky as unknown as HostAnswer], { session })
  Object.assign(tricky, { by: 'eve' })
  const kept = (await session.messages())
    .flatMap(({ parts }) => parts)
    .find(({ kind }) => kind.startsWith('hosted_approval_resp'))
  expect(kept).toMatchObject({ approved: true, by: 'ann' })
  expect(kept).not.toHaveProperty('extra')
})

it('consent does not travel in messages, but for a question and its answer that a host carries itself', async () => {
  const answer: ContentPart = { kind: 'hosted_approval_response', id: 'req_1', approved: true, by: 'ann' }
  const question: Message = { role: 'assistant', parts: [hostedCall(), asked()] }
  const agent = new Agent({ model: partsClient([]) })
  const refused: readonly (readonly Message[])[] = [
    [{ role: 'tool', parts: [answer] }],
    [question, { role: 'user', parts: [answer] }],
    [question, { role: 'tool', parts: [{ ...answer, by: ' ' }] }],
    [question, { role: 'tool', parts: [answer, answer] }],
    [{ role: 'user', parts: [asked()] }],
  ]
  for (const messages of refused) {
    await expect(agent.run(messages)).rejects.toMatchObject({ code: 'INVALID_MESSAGE' })
  }
  const session = await agent.session()
  expect(() => agent.inject(session, { role: 'user', parts: [answer] })).toThrow(/holds a hosted_approval_response/)
})

it('nothing stands between question and answer: neither what providers bring nor what middleware adds before', async () => {
  const model = partsClient([[hostedCall(), asked()], [says('done')]])
  const agent = new Agent({
    model,
    contextProviders: [{ name: 'p', beforeRun: (context) => context.addMessages('context') }],
    compaction: (messages) => messages,
    middleware: [
      agentMiddleware((context, next) => {
        context.input = [...context.input, { role: 'user', parts: [says('added')] }]
        return next()
      }),
    ],
  })
  const stopped = await agent.run('go')
  const done = await agent.run(stopped.hostedApprovals.map((one) => one.approve({ by: 'ann' })))
  expect(done).toMatchObject({ stopReason: 'answered', text: 'done', error: null })
  const kinds = model.requests[1]?.messages.map(({ role, parts }) => `${role} ${parts[0]?.kind}`)
  const question = kinds?.indexOf('assistant function_call') ?? -1
  expect(kinds?.slice(question, question + 3)).toEqual([
    'assistant function_call',
    'tool hosted_approval_response',
    'user text',
  ])
})

it('middleware that answers in the place of the turn leaves no question open', async () => {
  const replacing = agentMiddleware(async (context, next) => {
    await next()
    context.result = 'masked'
  })
  const result = await new Agent({ model: partsClient([[hostedCall(), asked()]]), middleware: [replacing] }).run('go')
  expect(result).toMatchObject({ stopReason: 'answered', text: 'masked', hostedApprovals: [] })
})

it("an inner agent's question cannot be answered around the call it lies in", async () => {
  const store = memoryStore()
  const inner = new Agent({ name: 'inner', model: partsClient([[hostedCall(), asked()]]), store })
  const outer = new Agent({
    store,
    model: new ScriptedChatClient([{ calls: [{ name: 'inner', arguments: { task: 'go' } }] }, 'It could not.']),
    tools: [inner.asTool({ name: 'inner', description: 'Asks the inner agent.' })],
  })
  const { runId } = await outer.run('go')
  const insides = (await store.journal.runs({})).filter(({ parent }) => parent?.runId === runId)
  expect(insides).toHaveLength(1)
  const answer = {
    kind: 'hosted_approval_response',
    id: 'req_1',
    approved: true,
    by: 'ann',
    runId: insides[0]?.id ?? '',
  }
  await expect(outer.run([answer as HostAnswer])).rejects.toThrow(/lies inside a call/)
})

it('a run that was turned away does not take the question along', async () => {
  const model = partsClient([[hostedCall(), asked()], [says('done')]])
  const agent = new Agent({ model })
  const session = await agent.session()
  const answers = (await agent.run('go', { session })).hostedApprovals.map((one) => one.approve({ by: 'ann' }))
  const failing = agentMiddleware(() => {
    throw new Error('x')
  })
  for (const input of [answers, 'something else'] as const) {
    expect((await agent.run(input, { session, middleware: failing })).stopReason).toBe('terminated')
  }
  expect((await agent.run(answers)).text).toBe('done')
})

it('options that are undefined change nothing of what the run was given', async () => {
  const own: ContentPart = { kind: 'function_call', callId: 'c1', name: 'who', arguments: '{}' }
  const model = partsClient([[hostedCall(), asked()], [own], [says('done')]])
  const seen: unknown[] = []
  const who = tool({
    name: 'who',
    description: 'Says for whom.',
    inputSchema: z.object({}),
    effects: 'read',
    execute: (_, { principal, environment }) => void seen.push(principal.id, environment),
  })
  const agent = new Agent({ model })
  const first = await agent.run('go', { principal: { id: 'ann' }, environment: 'prod', tools: [who] })
  const nothing = { principal: undefined, environment: undefined, tools: undefined, middleware: undefined } as object
  const answers = first.hostedApprovals.map((one) => one.approve({ by: 'ann' }))
  expect((await agent.run(answers, nothing)).text).toBe('done')
  expect(seen).toEqual(['ann', 'prod'])
})

it('an outer loop counts the answer to a provider as its step, with or without the run it names', async () => {
  for (const names of [true, false]) {
    const model = partsClient([[hostedCall(), asked()], [says('one')], [says('two')], [says('three')]])
    const loop = new LoopAgent({ agent: new Agent({ model }), until: () => false, maxLoops: 2 })
    const session = await new Agent({ model }).session('s')
    const first = await loop.run('go', { session })
    const answers = first.hostedApprovals.map((one) => {
      const { runId, ...bare } = one.approve({ by: 'ann' })
      return names ? { ...bare, runId } : bare
    })
    const result = await loop.run(answers as readonly HostAnswer[], { session })
    expect(result).toMatchObject({ loops: 2, text: 'two' })
  }
})
