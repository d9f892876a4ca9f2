import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  autoApprove,
  functionMiddleware,
  memoryStore,
  textOf,
  tool,
  toolApproval,
  type AgentOptions,
  type ApprovalResponsePart,
  type ContentPart,
  type Message,
  type RunResult,
  type RunUpdate,
} from './index.ts'
import {
  ManualClock,
  ScriptedChatClient,
  statelessScript,
  type ScriptedCall,
  type ScriptedTurn,
} from '../testing/index.ts'

function bench(turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const ran: string[] = []
  const store = memoryStore()
  const clock = new ManualClock()
  const model = new ScriptedChatClient(turns)
  const look = tool({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.object({ n: z.number().default(0) }),
    effects: 'read',
    execute: ({ n }) => {
      ran.push(`look ${n}`)
      return `saw ${n}`
    },
  })
  const wipe = tool({
    name: 'wipe',
    description: 'Wipes.',
    inputSchema: z.object({ n: z.number().default(0) }),
    effects: 'destructive',
    needsApproval: true,
    execute: ({ n }) => {
      ran.push(`wipe ${n}`)
      if (n === 13) throw new Error('unlucky')
      return `wiped ${n}`
    },
  })
  const agent = new Agent({ model, tools: [look, wipe], store, clock, ...options })
  return { ran, store, clock, model, agent, look, wipe }
}

const call = (name: string, n = 0, callId?: string): ScriptedCall => ({
  name,
  arguments: { n },
  ...(callId === undefined ? {} : { callId }),
})
const turnOf = (...calls: readonly ScriptedCall[]): ScriptedTurn => ({ calls })
const yes = (result: RunResult): readonly ApprovalResponsePart[] =>
  result.approvals.map((one) => one.approve({ by: 'ann' }))
const no = (result: RunResult): readonly ApprovalResponsePart[] =>
  result.approvals.map((one) => one.deny({ by: 'ann', reason: 'not today' }))

function partsOf<Kind extends ContentPart['kind']>(
  messages: readonly Message[],
  kind: Kind,
): readonly Extract<ContentPart, { kind: Kind }>[] {
  return messages.flatMap(({ parts }) =>
    parts.filter((part): part is Extract<ContentPart, { kind: Kind }> => part.kind === kind),
  )
}

function resultTexts(messages: readonly Message[]): readonly string[] {
  return partsOf(messages, 'function_result').map((part) => part.errorCode ?? textOf(part.content))
}

/** What every conversation looks like: no approval parts, no half pairs but for the last turn of a run that waits. */
function expectClean(messages: readonly Message[], waits = false): void {
  expect(partsOf(messages, 'function_approval_request')).toEqual([])
  expect(partsOf(messages, 'function_approval_response')).toEqual([])
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  for (const [index, message] of messages.entries()) {
    const calls = partsOf([message], 'function_call').map(({ callId }) => callId)
    if (calls.length === 0 || (waits && index === last)) continue
    expect(partsOf(messages.slice(index + 1, index + 2), 'function_result').map(({ callId }) => callId)).toEqual(calls)
  }
}

describe('approvals, line by line of what the Microsoft Agent Framework is tested for', () => {
  it('MAF 45: a gated call gives a request and executes nothing; the conversation holds the call alone', async () => {
    const { agent, ran } = bench([turnOf(call('wipe'))])
    const session = await agent.session('s')
    const result = await agent.run('go', { session })
    expect(result).toMatchObject({ stopReason: 'approval_required', approvals: [{ tool: 'wipe', status: 'pending' }] })
    expect(ran).toEqual([])
    expectClean(await session.messages(), true)
    expect(partsOf(await session.messages(), 'function_result')).toEqual([])
  })

  it('MAF 46: approved, it is executed once and its result stands right behind the call', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1)), 'done'])
    const result = await agent.run(yes(await agent.run('go')))
    expect(ran).toEqual(['wipe 1'])
    expectClean(result.messages)
    expect(resultTexts(result.messages)).toEqual(['wiped 1'])
  })

  it('MAF 47: rejected, the call is answered under its own id with the reason given, and the model goes on', async () => {
    const { agent, model } = bench([turnOf(call('wipe', 1, 'call_7')), 'Then not.'])
    const result = await agent.run(no(await agent.run('go')))
    expect(result).toMatchObject({ stopReason: 'answered', text: 'Then not.' })
    const [part] = partsOf(model.requests[1]?.messages ?? [], 'function_result')
    expect(part).toMatchObject({ callId: 'call_7', errorCode: 'APPROVAL_DENIED' })
    expect(textOf(part?.content ?? [])).toContain('not today')
  })

  it('MAF 48: a mixed batch resolves in the order of its calls, whatever the order of the answers', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1), call('look', 2), call('wipe', 3), call('wipe', 4)), 'done'])
    const session = await agent.session()
    const [one, three, four] = (await agent.run('go', { session })).approvals
    const answers = [four!.approve({ by: 'b' }), three!.deny({ by: 'a', reason: 'no' }), one!.approve({ by: 'a' })]
    const result = await agent.run(answers, { session })
    expect(resultTexts(result.messages)).toEqual(['wiped 1', 'saw 2', 'APPROVAL_DENIED', 'wiped 4'])
    expect(ran).toEqual(['wipe 1', 'look 2', 'wipe 4'])
  })

  it('MAF 49: stored messages replay: a later run sees call and result, in another agent over the store too', async () => {
    const { agent, store, wipe } = bench([turnOf(call('wipe', 1)), 'done'])
    const session = await agent.session('s')
    await agent.run(yes(await agent.run('go', { session })), { session })
    const model = new ScriptedChatClient(['again'])
    const other = new Agent({ model, tools: [wipe], store })
    await other.run('And?', { session: await other.session('s') })
    const told = model.requests[0]?.messages ?? []
    expectClean(told)
    expect(told.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })

  it('MAF 50: an answer that was used is inert on a later turn; inside a message it is refused, not believed', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1)), 'done', turnOf(call('wipe', 2)), 'done'])
    const session = await agent.session('s')
    const answers = yes(await agent.run('go', { session }))
    await agent.run(answers, { session })
    const second = await agent.run('again', { session })
    expect((await agent.run(answers, { session })).refused).toHaveLength(1)
    expect(ran).toEqual(['wipe 1'])
    expect(second.approvals).toHaveLength(1)
    const other = await agent.session('other')
    for (const part of [
      answers[0]!,
      { kind: 'function_approval_request', id: 'a', call: 'c', tool: 't', arguments: {} },
    ]) {
      const message = { role: 'user', parts: [part] } as Message
      await expect(agent.run([message], { session: other })).rejects.toMatchObject({ code: 'INVALID_MESSAGE' })
    }
    expect(await other.messages()).toEqual([])
  })

  it('MAF 51: processing answers duplicates no call', async () => {
    const { agent } = bench([turnOf(call('wipe', 1), call('look', 2)), 'done'])
    const session = await agent.session('s')
    await agent.run(yes(await agent.run('go', { session })), { session })
    const messages = await session.messages()
    expect(partsOf(messages, 'function_call')).toHaveLength(2)
    expect(partsOf(messages, 'function_result')).toHaveLength(2)
  })

  it.each([
    [false, 'INTERNAL'],
    [true, 'unlucky'],
  ])('MAF 52: an approved call that fails gives an error result (details %s)', async (includeDetailedErrors, text) => {
    const { agent } = bench([turnOf(call('wipe', 13)), 'done'], { includeDetailedErrors })
    const result = await agent.run(yes(await agent.run('go')))
    expect(result.stopReason).toBe('answered')
    expect(JSON.stringify(partsOf(result.messages, 'function_result'))).toContain(text)
    if (!includeDetailedErrors) expect(JSON.stringify(result.messages)).not.toContain('unlucky')
  })

  it('MAF 52: a call that does not validate is answered before anybody is asked', async () => {
    const { agent } = bench([{ calls: [{ name: 'wipe', arguments: '{"n":"x"}' }] }, 'done'])
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'answered', approvals: [] })
    expect(resultTexts(result.messages)).toEqual(['INVALID_ARGUMENT'])
  })

  it('MAF 54: reused call ids are told apart by their turn', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1, 'same')), turnOf(call('wipe', 2, 'same')), 'done'])
    const session = await agent.session('s')
    const first = await agent.run('go', { session })
    const second = await agent.run(no(first), { session })
    expect(second.approvals).toMatchObject([{ arguments: { n: 2 } }])
    const end = await agent.run([...yes(first), ...yes(second)], { session })
    expect(end.refused).toHaveLength(1)
    expect(ran).toEqual(['wipe 2'])
    expect(resultTexts(await session.messages())).toEqual(['APPROVAL_DENIED', 'wiped 2'])
    expectClean(await session.messages())
  })

  it('MAF 55: a request that is looked at again is the same one', async () => {
    const { agent, store } = bench([turnOf(call('wipe'))])
    const first = await agent.run('go')
    const again = await agent.resume(first.runId).result
    expect(again.approvals.map(({ id }) => id)).toEqual(first.approvals.map(({ id }) => id))
    expect(await store.approvals.list()).toHaveLength(1)
  })

  it('MAF 56: a call that waits has no placeholder, and gets its one result when it is decided', async () => {
    for (const answers of [yes, no]) {
      const { agent } = bench([turnOf(call('wipe', 1)), 'done'])
      const session = await agent.session('s')
      const asked = await agent.run('go', { session })
      expect(partsOf(await session.messages(), 'function_result')).toEqual([])
      await agent.run(answers(asked), { session })
      expect(partsOf(await session.messages(), 'function_result')).toHaveLength(1)
      expectClean(await session.messages())
      for (const { parts } of await session.messages()) expect(parts.length).toBeGreaterThan(0)
    }
  })

  it('MAF 57: a resumed stream tells the result before the words of the model', async () => {
    const { agent } = bench([turnOf(call('wipe', 1)), 'All wiped.'])
    const asked = await agent.run('go')
    const updates: RunUpdate[] = []
    for await (const update of agent.stream(yes(asked))) updates.push(update)
    const result = updates.findIndex(
      ({ kind, ...update }) => kind === 'message-added' && JSON.stringify(update).includes('wiped 1'),
    )
    const words = updates.findIndex(({ kind }) => kind === 'text-delta')
    expect(result).toBeGreaterThan(-1)
    expect(words).toBeGreaterThan(result)
  })

  it('MAF 58: middleware that terminates on the resume ends the run, and the result is kept', async () => {
    const ends = functionMiddleware(
      async (context, next) => {
        await next()
        context.terminate()
      },
      { name: 'ends' },
    )
    const { agent, model } = bench([turnOf(call('wipe', 1)), 'never said'], { middleware: [ends] })
    const result = await agent.run(yes(await agent.run('go')))
    expect(result.stopReason).toBe('terminated')
    expect([resultTexts(result.messages), model.remaining]).toEqual([['wiped 1'], 1])
  })

  it('MAF 59: resumed calls count in the call budget', async () => {
    const { agent, model } = bench([turnOf(call('wipe', 1)), 'The end.'], { maxFunctionCalls: 1 })
    const result = await agent.run(yes(await agent.run('go')))
    expect(result).toMatchObject({ stopReason: 'call_limit', text: 'The end.' })
    expect(model.requests[1]?.toolChoice).toBe('none')
  })

  it('MAF 60: a resume that leads to new requests gives results and requests apart', async () => {
    const { agent } = bench([turnOf(call('wipe', 1)), turnOf(call('wipe', 2)), 'done'])
    const session = await agent.session('s')
    const first = await agent.run('go', { session })
    const second = await agent.run(yes(first), { session })
    expect(second).toMatchObject({ stopReason: 'approval_required', runId: first.runId })
    expect(second.approvals).toMatchObject([{ arguments: { n: 2 } }])
    expect(second.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect((await agent.run(yes(second), { session })).text).toBe('done')
  })

  it('MAF 61: the error limit on a resume forces one last answer without tools', async () => {
    const { agent, model } = bench([turnOf(call('wipe', 13)), 'I give up.'], { maxConsecutiveErrors: 1 })
    const result = await agent.run(yes(await agent.run('go')))
    expect(result).toMatchObject({ stopReason: 'error_limit', text: 'I give up.' })
    expect(model.requests[1]?.toolChoice).toBe('none')
  })

  it('MAF 62: answers of the caller are not changed', async () => {
    const { agent } = bench([turnOf(call('wipe', 1)), 'done'])
    const asked = await agent.run('go')
    const [answer] = yes(asked)
    const frozen = Object.freeze([Object.freeze({ ...answer!, edit: Object.freeze({ n: 5 }) })])
    expect((await agent.run(frozen)).stopReason).toBe('answered')
    expect(frozen).toEqual([{ ...answer, edit: { n: 5 } }])
  })

  it('MAF 63: reasoning that led to a call goes back to the model with it', async () => {
    const reasoning = {
      kind: 'reasoning',
      text: 'It is full.',
      providerMetadata: { some: { signature: 'x' } },
    } as const
    const response = {
      parts: [reasoning, { kind: 'function_call', callId: 'c', name: 'wipe', arguments: '{}' }],
      finishReason: 'tool_calls',
    } as const
    const { agent, model } = bench([{ response }, 'done'])
    await agent.run(yes(await agent.run('go')))
    expect(model.requests[1]?.messages[1]?.parts).toEqual(response.parts)
  })

  it('MAF 64: what waits in a stored conversation stays resumable, and no model sees its half pair', async () => {
    const { agent, store, ran, wipe } = bench([turnOf(call('wipe', 1)), 'done'])
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    const model = new ScriptedChatClient(['never said'])
    const other = new Agent({ model, tools: [wipe], store })
    await expect(other.run('Something else', { session: await other.session('s') })).rejects.toMatchObject({
      code: 'RUN_BUSY',
      message: expect.stringContaining('waits for an answer'),
    })
    expect(model.requests).toEqual([])
    expect((await agent.run(yes(asked), { session })).stopReason).toBe('answered')
    expect(ran).toEqual(['wipe 1'])
  })

  it('MAF 65: no control item is in what a history hook, a model or a serialised session gets', async () => {
    const seen: Message[] = []
    const history = (messages: readonly Message[]): readonly Message[] => {
      seen.push(...messages)
      return messages
    }
    const { agent, model } = bench([turnOf(call('wipe', 1)), 'done'], { history })
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    await expect(session.serialise()).rejects.toMatchObject({ code: 'RUN_BUSY' })
    await agent.run(yes(asked), { session })
    for (const messages of [
      seen,
      model.requests.flatMap((request) => request.messages),
      (await session.serialise()).messages,
    ]) {
      expect(messages.length).toBeGreaterThan(0)
      expect(partsOf(messages, 'function_approval_request')).toEqual([])
      expect(partsOf(messages, 'function_approval_response')).toEqual([])
    }
  })
})

describe('approvals of a batch, line by line', () => {
  const mixed = turnOf(call('look', 1), call('wipe', 2), call('look', 3))

  it('MAF 66: with a session a mixed batch shows only the call that needs a person', async () => {
    const { agent } = bench([mixed])
    const asked = await agent.run('go', { session: await agent.session() })
    expect(asked.approvals.map(({ tool: name, arguments: args }) => [name, args])).toEqual([['wipe', { n: 2 }]])
  })

  it('MAF 67: hidden siblings run on the matching answer, not on an unrelated turn or resume', async () => {
    const { agent, ran } = bench([mixed, 'done'])
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    await expect(agent.run('unrelated', { session })).rejects.toMatchObject({ code: 'RUN_BUSY' })
    await agent.resume(asked.runId).result
    expect(ran).toEqual([])
    await agent.run(yes(asked), { session })
    expect(ran).toEqual(['look 1', 'wipe 2', 'look 3'])
  })

  it('MAF 68: state restored from its serialised form works', async () => {
    const approvalSecret = 'a secret of at least thirty-two characters'
    const model = statelessScript([mixed, 'done'])
    const first = bench([], { approvalSecret, model })
    const asked = await first.agent.run('go', { session: await first.agent.session('s') })
    const text = JSON.stringify({ continuation: asked.continuation, answers: yes(asked) })
    const second = bench([], { approvalSecret, model })
    const { continuation, answers } = JSON.parse(text) as { continuation: string; answers: ApprovalResponsePart[] }
    expect((await second.agent.run(answers, { continuation })).stopReason).toBe('answered')
    expect(second.ran).toEqual(['look 1', 'wipe 2', 'look 3'])
  })

  const three = turnOf(call('wipe', 1), call('wipe', 2), call('wipe', 3))

  it('MAF 69: one at a time: the first of several requests is shown, the rest is queued, streamed or not', async () => {
    for (const streaming of [false, true]) {
      const { agent } = bench([three], { approvalMode: 'oneAtATime' })
      const session = await agent.session()
      const updates: RunUpdate[] = []
      const stream = agent.stream('go', { session })
      if (streaming) for await (const update of stream) updates.push(update)
      const result = await stream.result
      expect(result.approvals).toMatchObject([{ arguments: { n: 1 } }])
      const told = updates.flatMap((update) =>
        update.kind === 'approval-requested' ? [update.approval.arguments] : [],
      )
      expect(told).toEqual(streaming ? [{ n: 1 }] : [])
    }
  })

  it('MAF 70: one at a time: an answer, yes or no, shows the next one, and the model is not called', async () => {
    const { agent, model, ran } = bench([three, 'done'], { approvalMode: 'oneAtATime' })
    const session = await agent.session()
    const first = await agent.run('go', { session })
    const second = await agent.run(yes(first), { session })
    expect(second.approvals).toMatchObject([{ arguments: { n: 2 } }])
    const third = await agent.run(no(second), { session })
    expect(third.approvals).toMatchObject([{ arguments: { n: 3 } }])
    expect([model.requests.length, ran]).toEqual([1, []])
  })

  it('MAF 71: one at a time: once all are resolved the model is called once, with all results', async () => {
    const { agent, model, ran } = bench([three, 'done'], { approvalMode: 'oneAtATime' })
    const session = await agent.session()
    let result = await agent.run('go', { session })
    for (const answers of [yes, no, yes]) result = await agent.run(answers(result), { session })
    expect(result.stopReason).toBe('answered')
    expect(model.requests).toHaveLength(2)
    expect(ran).toEqual(['wipe 1', 'wipe 3'])
    expect(resultTexts(result.messages)).toEqual(['wiped 1', 'APPROVAL_DENIED', 'wiped 3'])
  })

  it('MAF 72: one at a time: a single request is shown as it is', async () => {
    const { agent } = bench([turnOf(call('wipe', 1)), 'done'], { approvalMode: 'oneAtATime' })
    const asked = await agent.run('go')
    expect(asked.approvals).toHaveLength(1)
    expect((await agent.run(yes(asked))).stopReason).toBe('answered')
  })

  it('MAF 84: without a session one is made, and the run can be answered in it', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1)), 'done', 'And more.'])
    const asked = await agent.run('go')
    const session = await agent.session(asked.sessionId)
    expect((await agent.run(yes(asked), { session })).stopReason).toBe('answered')
    expect((await agent.run('more', { session })).text).toBe('And more.')
    expect(ran).toEqual(['wipe 1'])
  })

  it('MAF 85: a forged answer is refused', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1))])
    await agent.run('go')
    const forged = { kind: 'function_approval_response', id: 'approval_1', approved: true, by: 'eve' } as const
    await expect(agent.run([forged])).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    expect(ran).toEqual([])
  })

  it('MAF 86: an answer for another call than was asked about is refused, not bent back', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1)), 'done'])
    const asked = await agent.run('go')
    const changed = { ...yes(asked)[0]!, arguments: { n: 99 } }
    expect((await agent.run([changed])).refused).toHaveLength(1)
    expect(ran).toEqual([])
    await agent.run(yes(asked))
    expect(ran).toEqual(['wipe 1'])
  })

  it('MAF 87: a duplicate answer counts once', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1)), 'done'])
    const asked = await agent.run('go')
    const result = await agent.run([...yes(asked), ...yes(asked)])
    expect([result.refused.length, ran]).toEqual([1, ['wipe 1']])
  })

  it('MAF 88: the recorded request is a snapshot: changing what was handed out changes nothing', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1)), 'done'])
    const asked = await agent.run('go')
    const handed = asked.approvals[0] as unknown as { tool: string; digest: string; arguments: { n: number } }
    expect(() => (handed.arguments.n = 99)).toThrow(TypeError)
    handed.tool = 'look'
    handed.digest = 'x'
    await agent.run(yes(asked))
    expect(ran).toEqual(['wipe 1'])
  })

  it('MAF 90: a call of an unknown tool asks nobody: it is answered, and its siblings wait for their own', async () => {
    const { agent, ran } = bench([turnOf(call('nope'), call('wipe', 1)), 'done'])
    const session = await agent.session()
    const asked = await agent.run('go', { session })
    expect(asked.approvals.map(({ tool: name }) => name)).toEqual(['wipe'])
    const result = await agent.run(yes(asked), { session })
    expect(resultTexts(result.messages)).toEqual(['UNKNOWN_TOOL', 'wiped 1'])
    expect(ran).toEqual(['wipe 1'])
  })

  it('MAF 91: stored siblings are carried out though the tools changed; one whose tool is gone is answered', async () => {
    const { agent, look, wipe, ran } = bench([mixed, 'done'])
    const extra = tool({
      name: 'extra',
      description: 'New.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => 1,
    })
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    const more = agent.with({ tools: [extra, look, wipe], model: new ScriptedChatClient(['done']) })
    expect((await more.run(yes(asked), { session })).stopReason).toBe('answered')
    expect(ran).toEqual(['look 1', 'wipe 2', 'look 3'])

    const gone = bench([mixed])
    const there = await gone.agent.session('s')
    const again = await gone.agent.run('go', { session: there })
    const without = gone.agent.with({ tools: [gone.wipe], model: new ScriptedChatClient(['done']) })
    const result = await without.run(yes(again), { session: there })
    expect(resultTexts(result.messages)).toEqual(['UNKNOWN_TOOL', 'wiped 2', 'UNKNOWN_TOOL'])
    expect(gone.ran).toEqual(['wipe 2'])
  })

  it('MAF 92: without a session every call of the batch is shown, so that a stateless host loses nothing', async () => {
    const { agent, ran } = bench([mixed, 'done'])
    const asked = await agent.run('go')
    expect(asked.approvals.map(({ arguments: args, askedBy }) => [args, askedBy])).toEqual([
      [{ n: 2 }, 'contract'],
      [{ n: 1 }, 'batch'],
      [{ n: 3 }, 'batch'],
    ])
    const result = await agent.run(yes(asked))
    expect(resultTexts(result.messages)).toEqual(['saw 1', 'wiped 2', 'saw 3'])
    expect(ran).toHaveLength(3)
  })

  it('MAF 93: siblings of a call the host answers run at once; text before it streams; a failed run restores none', async () => {
    const ask = tool({ name: 'ask_host', description: 'Asks the host.', inputSchema: z.object({}), effects: 'read' })
    const script: ScriptedTurn[] = [{ text: 'One moment.', calls: [call('look', 1), { name: 'ask_host' }] }, 'done']
    const { agent, ran, look, wipe } = bench([], { model: new ScriptedChatClient(script) })
    const asking = agent.with({ tools: [look, wipe, ask] })
    const session = await asking.session('s')
    const updates: RunUpdate[] = []
    const stream = asking.stream('go', { session })
    for await (const update of stream) updates.push(update)
    expect(updates.filter(({ kind }) => kind === 'text-delta').length).toBeGreaterThan(0)
    expect(await stream.result).toMatchObject({ stopReason: 'client_tool_required' })
    expect(ran).toEqual(['look 1'])
    const failing = asking.with({ model: new ScriptedChatClient([{ error: new Error('down') }, 'Hello.']) })
    const other = await failing.session('other')
    expect((await failing.run('go', { session: other })).stopReason).toBe('model_error')
    expect((await failing.run('go', { session: other })).text).toBe('Hello.')
    expect(ran).toEqual(['look 1'])
  })
})

describe('rules, line by line', () => {
  async function remembered(what: 'tool' | 'arguments', first: number, later: readonly ScriptedTurn[]) {
    const b = bench([turnOf(call('wipe', first)), 'done', ...later])
    const session = await b.agent.session('s')
    const asked = await b.agent.run('go', { session })
    await b.agent.run(
      asked.approvals.map((one) => one.approve({ by: 'ann', remember: what })),
      { session },
    )
    return { ...b, session }
  }

  it('MAF 73: a rule for a tool approves its later calls', async () => {
    const { agent, session, ran } = await remembered('tool', 1, [turnOf(call('wipe', 2)), 'done'])
    expect((await agent.run('go', { session })).stopReason).toBe('answered')
    expect(ran).toEqual(['wipe 1', 'wipe 2'])
  })

  it('MAF 74: a rule for exact arguments covers neither other values nor other counts; an empty one only empty calls', async () => {
    const { agent, session, ran } = await remembered('arguments', 1, [turnOf(call('wipe', 1)), turnOf(call('wipe', 2))])
    expect((await agent.run('go', { session })).approvals).toMatchObject([{ arguments: { n: 2 } }])
    expect(ran).toEqual(['wipe 1', 'wipe 1'])
    const touch = (args: ScriptedCall['arguments']): ScriptedTurn =>
      turnOf({ name: 'touch', ...(args === undefined ? {} : { arguments: args }) })
    const loose = tool({
      name: 'touch',
      description: 'Touches.',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      effects: 'write',
      needsApproval: true,
      execute: () => 'touched',
    })
    const model = new ScriptedChatClient([touch({}), 'done', touch({}), touch({ n: 1 })])
    const empty = new Agent({ model, tools: [loose] })
    const there = await empty.session('s')
    const asked = await empty.run('go', { session: there })
    await empty.run([asked.approvals[0]!.approve({ by: 'ann', remember: 'arguments' })], { session: there })
    expect((await empty.run('go', { session: there })).approvals).toMatchObject([{ arguments: { n: 1 } }])
  })

  it('MAF 75: a rule is of the server its tool came from', async () => {
    const { agent, session, ran } = await remembered('tool', 1, [])
    const foreign = tool({
      name: 'wipe',
      description: 'Wipes elsewhere.',
      origin: 'mcp:other',
      inputSchema: z.object({ n: z.number() }),
      effects: 'destructive',
      needsApproval: true,
      execute: () => void ran.push('foreign'),
    })
    const other = agent.with({ tools: [foreign], model: new ScriptedChatClient([turnOf(call('wipe', 1))]) })
    expect((await other.run('go', { session })).stopReason).toBe('approval_required')
    expect(ran).toEqual(['wipe 1'])
  })

  it('MAF 76: rules that say the same are stored once, and last over runs and agents', async () => {
    const b = bench([turnOf(call('wipe', 1), call('wipe', 2)), 'done'])
    const session = await b.agent.session('s')
    const asked = await b.agent.run('go', { session })
    await b.agent.run(
      asked.approvals.map((one) => one.approve({ by: 'ann', remember: 'tool' })),
      { session },
    )
    expect(await b.store.rules.list()).toHaveLength(1)
    const other = new Agent({
      model: new ScriptedChatClient([turnOf(call('wipe', 3)), 'done']),
      tools: [b.wipe],
      store: b.store,
    })
    expect((await other.run('go', { session: await other.session('s') })).stopReason).toBe('answered')
  })

  it('MAF 77: a rule applies to what is queued already', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1), call('wipe', 2), call('wipe', 3)), 'done'], {
      approvalMode: 'oneAtATime',
    })
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    const result = await agent.run([asked.approvals[0]!.approve({ by: 'ann', remember: 'tool' })], { session })
    expect(result.stopReason).toBe('answered')
    expect(ran).toEqual(['wipe 1', 'wipe 2', 'wipe 3'])
  })

  it('MAF 78: collected answers are used up, and the results stand in the order of the calls', async () => {
    const { agent, ran } = bench([turnOf(call('wipe', 1), call('wipe', 2)), turnOf(call('wipe', 1)), 'done'])
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    const half = await agent.run([asked.approvals[1]!.approve({ by: 'ann' })], { session })
    const next = await agent.run(yes(half), { session })
    // The same call in the next turn is asked about anew.
    expect(next.approvals).toMatchObject([{ arguments: { n: 1 } }])
    expect(ran).toEqual(['wipe 1', 'wipe 2'])
    expect(resultTexts(next.messages)).toEqual(['wiped 1', 'wiped 2'])
  })

  it('MAF 79: standing rules come first, then rules in order, the first true wins; what none approves surfaces', async () => {
    const order: string[] = []
    const middleware = [
      toolApproval({
        autoApprove: [
          ({ arguments: args }) => {
            order.push(`first ${JSON.stringify(args['n'])}`)
            return false
          },
          async ({ arguments: args }) => {
            order.push(`second ${JSON.stringify(args['n'])}`)
            return args['n'] === 2
          },
        ],
      }),
    ]
    const b = await remembered('arguments', 1, [])
    const model = new ScriptedChatClient([turnOf(call('wipe', 1)), turnOf(call('wipe', 2)), turnOf(call('wipe', 3))])
    const result = await b.agent.with({ middleware, model }).run('go', { session: b.session })
    expect(order).toEqual(['first 2', 'second 2', 'first 3', 'second 3'])
    expect(result.approvals).toMatchObject([{ arguments: { n: 3 } }])
    const decided = (await b.store.approvals.list({ runId: result.runId })).map(({ decidedBy }) =>
      decidedBy?.slice(0, 5),
    )
    expect(decided).toEqual(['rule:', 'auto:', undefined])
  })

  const auto = { middleware: [toolApproval({ autoApprove: autoApprove.all })] }

  it('MAF 80: auto-approved requests are not in what comes out; the other content of the turn is', async () => {
    const { agent } = bench([{ text: 'I wipe.', calls: [call('wipe', 1)] }, 'done'], auto)
    const updates: RunUpdate[] = []
    const stream = agent.stream('go')
    for await (const update of stream) updates.push(update)
    expect(updates.filter(({ kind }) => kind === 'approval-requested')).toEqual([])
    expect((await stream.result).approvals).toEqual([])
    expect(JSON.stringify((await stream.result).messages)).toContain('I wipe.')
  })

  it('MAF 81: auto-approved turns stop at the iterations of the run, of which there are 40 by default', async () => {
    const endless: ScriptedTurn = turnOf(call('wipe', 1))
    const { agent, ran } = bench([...Array.from({ length: 40 }, () => endless), 'Enough.'], auto)
    expect(await agent.run('go')).toMatchObject({ stopReason: 'iteration_limit', text: 'Enough.' })
    expect(ran).toHaveLength(40)
    expect(() => agent.with({ maxIterations: 0 })).toThrow(/maxIterations/)
  })

  it('MAF 82: auto-approved calls share the call budget; an answer is carried out though the iterations are spent', async () => {
    const capped = bench([turnOf(call('wipe', 1)), turnOf(call('wipe', 2)), 'Enough.'], {
      ...auto,
      maxFunctionCalls: 2,
    })
    expect((await capped.agent.run('go')).stopReason).toBe('call_limit')
    const spent = bench([turnOf(call('wipe', 1)), 'Enough.'], { maxIterations: 1 })
    const result = await spent.agent.run(yes(await spent.agent.run('go')))
    expect(result).toMatchObject({ stopReason: 'iteration_limit', text: 'Enough.' })
    expect(spent.ran).toEqual(['wipe 1'])
  })

  it('MAF 83: usage is summed over auto-approved turns', async () => {
    const { agent } = bench([turnOf(call('wipe', 1)), turnOf(call('wipe', 2)), 'done'], auto)
    expect((await agent.run('go')).usage).toEqual({ inputTokens: 30, outputTokens: 15 })
  })

  it('MAF 94: rules are plain JSON and count after a round trip into another store', async () => {
    const { store, wipe, clock } = await remembered('arguments', 1, [])
    const rules = JSON.parse(JSON.stringify(await store.rules.list())) as Awaited<ReturnType<typeof store.rules.list>>
    expect(rules).toEqual(await store.rules.list())
    const other = memoryStore()
    await other.journal.append(rules.map((rule) => ({ kind: 'rule-added', rule })))
    const model = new ScriptedChatClient([turnOf(call('wipe', 1)), 'done'])
    const agent = new Agent({ model, tools: [wipe], store: other, clock })
    expect((await agent.run('go', { session: await agent.session('s') })).stopReason).toBe('answered')
  })
})
