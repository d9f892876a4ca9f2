import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  memoryStore,
  textOf,
  tool,
  type AgentOptions,
  type ApprovalResponsePart,
  type Message,
  type PendingApproval,
  type RunResult,
} from './index.ts'
import { ManualClock, ScriptedChatClient, statelessScript, type ScriptedTurn } from '../testing/index.ts'

/**
 * The turn every peer was asked about (contracts, reference-peers §3): A is safe, B and C need a person. Each title is
 * the question, each test Fairlead's answer.
 */
const turnABC: ScriptedTurn = {
  calls: [
    { name: 'look', arguments: { at: 'a' } },
    { name: 'wipe', arguments: { path: 'b' } },
    { name: 'wipe', arguments: { path: 'c' } },
  ],
}

function tools(log: string[]) {
  return [
    tool({
      name: 'look',
      description: 'Looks.',
      inputSchema: z.object({ at: z.string() }),
      effects: 'read',
      execute: ({ at }) => void log.push(`look ${at}`),
    }),
    tool({
      name: 'wipe',
      description: 'Wipes.',
      inputSchema: z.object({ path: z.string() }),
      effects: 'destructive',
      needsApproval: true,
      execute: ({ path }) => {
        log.push(`wipe ${path}`)
        return `wiped ${path}`
      },
    }),
    tool({
      name: 'format_disk',
      description: 'Formats everything.',
      inputSchema: z.object({ path: z.string() }),
      effects: 'destructive',
      needsApproval: true,
      execute: ({ path }) => void log.push(`format ${path}`),
    }),
  ]
}

async function asked(options: Partial<AgentOptions> = {}) {
  const log: string[] = []
  const model = new ScriptedChatClient([turnABC, 'done'])
  const clock = new ManualClock()
  const agent = new Agent({ model, tools: tools(log), clock, ...options })
  const session = await agent.session('turn')
  const result = await agent.run('go', { session })
  expect(result.stopReason).toBe('approval_required')
  const [b, c] = result.approvals
  if (b === undefined || c === undefined) throw new Error('B and C were not asked about')
  return { log, model, clock, agent, session, result, b, c }
}

const yes = (approval: PendingApproval): ApprovalResponsePart => approval.approve({ by: 'ann' })
const no = (approval: PendingApproval): ApprovalResponsePart => approval.deny({ by: 'ann', reason: 'not now' })

function resultsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'function_result' ? [part.errorCode ?? part.status] : [])),
  )
}

/** Nothing dangles: each call of the conversation has exactly one result right behind it. */
function expectPaired(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    const calls = message.parts.flatMap((part) => (part.kind === 'function_call' ? [part.callId] : []))
    if (calls.length === 0) continue
    const results = messages[index + 1]?.parts.map((part) => (part.kind === 'function_result' ? part.callId : '?'))
    expect(results).toEqual(calls)
  }
}

describe('does A run before the answer?', () => {
  it('no: nothing of the turn runs before every request of it is decided, and A is not shown', async () => {
    const { log, result, model } = await asked()
    expect(log).toEqual([])
    expect(result.approvals.map(({ arguments: args }) => args)).toEqual([{ path: 'b' }, { path: 'c' }])
    expect(model.remaining).toBe(1)
  })

  it('not even where the whole turn is shown', async () => {
    const { log, result } = await asked({ showWholeBatch: true })
    expect(log).toEqual([])
    expect(result.approvals.map(({ tool: name, askedBy }) => [name, askedBy])).toEqual([
      ['wipe', 'contract'],
      ['wipe', 'contract'],
      ['look', 'batch'],
    ])
  })
})

describe('approve B, reject C', () => {
  it('A and B run, C is answered as refused, in the order of the calls, and nothing dangles', async () => {
    const { log, agent, session, b, c, model } = await asked()
    const result = await agent.run([yes(b), no(c)], { session })
    expect(result.stopReason).toBe('answered')
    expect(log).toEqual(['look a', 'wipe b'])
    expect(resultsOf(result.messages)).toEqual(['success', 'success', 'APPROVAL_DENIED'])
    expectPaired(await session.messages())
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('not now')
  })

  it('rejecting both runs A all the same', async () => {
    const { log, agent, session, b, c } = await asked()
    expect(resultsOf((await agent.run([no(b), no(c)], { session })).messages)).toEqual([
      'success',
      'APPROVAL_DENIED',
      'APPROVAL_DENIED',
    ])
    expect(log).toEqual(['look a'])
  })
})

describe('answer only B', () => {
  it('recorded at once: nothing runs, the model is not called, and C is asked about alone', async () => {
    const { log, agent, session, b, model } = await asked()
    const half = await agent.run([yes(b)], { session })
    expect(half).toMatchObject({ stopReason: 'approval_required', approvals: [{ arguments: { path: 'c' } }] })
    expect([log, model.remaining]).toEqual([[], 1])
    expect(await agent.store.approvals.get(b.id)).toMatchObject({ status: 'approved', decidedBy: 'ann' })
    const done = await agent.run(half.approvals.map(no), { session })
    expect([done.stopReason, log]).toEqual(['answered', ['look a', 'wipe b']])
    expectPaired(await session.messages())
  })

  it('what is not used in time expires, approved or not; A runs', async () => {
    const { log, agent, session, clock, b } = await asked({ approvalTtlMs: 60_000 })
    await agent.run([yes(b)], { session })
    // B was approved in time, and its run goes on before its own time is over.
    await clock.advance(59_999)
    expect((await agent.resume((await runsOf(agent))[0] ?? '').result).stopReason).toBe('approval_required')
    await clock.advance(1)
    const done = await agent.resume((await runsOf(agent))[0] ?? '').result
    // Both expire at once: an approval that was not used in time is no consent any more.
    expect([done.stopReason, log]).toEqual(['answered', ['look a']])
    expect(resultsOf(done.messages)).toEqual(['success', 'APPROVAL_EXPIRED', 'APPROVAL_EXPIRED'])
  })

  it("with partialAnswers 'run' A and B run at once, the model waits for C, and nothing runs twice", async () => {
    const { log, agent, session, b, model } = await asked({ partialAnswers: 'run' })
    const half = await agent.run([yes(b)], { session })
    expect(half).toMatchObject({ stopReason: 'approval_required', approvals: [{ arguments: { path: 'c' } }] })
    expect([log, model.remaining]).toEqual([['look a', 'wipe b'], 1])
    const done = await agent.run(half.approvals.map(yes), { session })
    expect([done.stopReason, log]).toEqual(['answered', ['look a', 'wipe b', 'wipe c']])
    expect(resultsOf(done.messages)).toEqual(['success', 'success', 'success'])
    expectPaired(await session.messages())
  })
})

async function runsOf(agent: Agent): Promise<readonly string[]> {
  return (await agent.store.journal.runs()).map(({ id }) => id)
}

describe('replay', () => {
  it('the same answers again are refused, say who was first, and run nothing', async () => {
    const { log, agent, session, b, c } = await asked()
    const answers = [yes(b), yes(c)]
    await agent.run(answers, { session })
    const again = await agent.run(answers, { session })
    expect(again.refused).toHaveLength(2)
    for (const { reason } of again.refused) expect(reason).toMatch(/^Already approved by ann/)
    expect(again.stopReason).toBe('answered')
    expect(log).toEqual(['look a', 'wipe b', 'wipe c'])
  })

  it('the same state again (the same store, another agent with the same script) runs nothing', async () => {
    const store = memoryStore()
    const { log, agent, session, result, b, c } = await asked({ store })
    await agent.run([yes(b), yes(c)], { session })
    const other = new Agent({ model: statelessScript([turnABC, 'done']), tools: tools(log), store })
    await expect(other.resume(result.runId).result).rejects.toMatchObject({ code: 'RUN_ENDED' })
    expect((await other.run([yes(b)])).refused).toHaveLength(1)
    expect(log).toHaveLength(3)
  })

  it('one answer twice in one list counts once', async () => {
    const { log, agent, session, b, c } = await asked()
    const done = await agent.run([yes(b), yes(b), no(c), yes(c)], { session })
    expect(done.refused.map(({ id }) => id)).toEqual([b.id, c.id])
    expect(log).toEqual(['look a', 'wipe b'])
  })

  it('an approval is used once: it does not approve the same call of a later turn', async () => {
    const { log, agent, session, b, c } = await asked({
      model: new ScriptedChatClient([turnABC, turnABC, 'done']),
    })
    const again = await agent.run([yes(b), yes(c)], { session })
    expect(again.stopReason).toBe('approval_required')
    expect(again.approvals.map(({ id }) => id)).not.toContain(b.id)
    expect(log).toEqual(['look a', 'wipe b', 'wipe c'])
  })
})

describe('tampering', () => {
  const tampered: readonly (readonly [string, object])[] = [
    ['other arguments', { arguments: { path: '/' } }],
    ['more arguments', { arguments: { path: 'b', force: true } }],
    ['another tool', { tool: 'format_disk' }],
    ['another version', { version: '9' }],
    ['another digest', { digest: 'f'.repeat(64) }],
    ['another call', { callId: 'call_other' }],
    ['another run', { runId: 'run_other' }],
    ['another conversation', { sessionId: 'elsewhere' }],
    ['another owner', { owner: 'eve' }],
    ['another origin', { origin: 'mcp:eve' }],
  ]

  it.each(tampered)(
    'an answer that carries %s than was asked is refused, runs nothing, and the request stands',
    async (_, more) => {
      const { log, agent, session, b, c } = await asked()
      const result = await agent.run([{ ...yes(b), ...more }, yes(c)], { session })
      expect(result.refused).toMatchObject([{ id: b.id, reason: expect.stringContaining('was asked') }])
      expect(result).toMatchObject({ stopReason: 'approval_required', approvals: [{ id: b.id }] })
      expect(log).toEqual([])
      await agent.run([yes(b)], { session })
      expect(log).toEqual(['look a', 'wipe b', 'wipe c'])
    },
  )

  it('a refusal that carries other arguments is refused too', async () => {
    const { agent, session, b } = await asked()
    const result = await agent.run([{ ...no(b), arguments: { path: 'x' } } as ApprovalResponsePart], { session })
    expect(result.refused).toHaveLength(1)
    expect(await agent.store.approvals.get(b.id)).toMatchObject({ status: 'pending' })
  })

  it('an answer that carries the request as it was shown, in any order of keys, is taken', async () => {
    const { log, agent, session, b, c } = await asked()
    const shown = JSON.parse(JSON.stringify(b)) as PendingApproval
    const result = await agent.run(
      [
        { ...shown, ...yes(b) } as unknown as ApprovalResponsePart,
        { ...yes(c), arguments: { path: 'c' } } as ApprovalResponsePart,
      ],
      { session },
    )
    expect([result.stopReason, result.refused, log.length]).toEqual(['answered', [], 3])
  })

  it('changing the request object that was handed out changes nothing', async () => {
    const { log, agent, session, b, c } = await asked()
    const shown = b as unknown as { tool: string; arguments: { path: string } }
    expect(() => (shown.arguments.path = '/')).toThrow(TypeError)
    shown.tool = 'format_disk'
    await agent.run([yes(b), no(c)], { session })
    expect(log).toEqual(['look a', 'wipe b'])
  })

  it('a forged id is refused and runs nothing; a real answer beside it counts', async () => {
    const { log, agent, session, b, c } = await asked()
    const forged: ApprovalResponsePart = {
      kind: 'function_approval_response',
      id: 'approval_x',
      approved: true,
      by: 'eve',
    }
    await expect(agent.run([forged], { session })).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    const result = await agent.run([forged, yes(b), yes(c)], { session })
    expect(result.refused).toMatchObject([{ id: 'approval_x', reason: expect.stringContaining('no such request') }])
    expect(log).toHaveLength(3)
  })

  it.each<readonly [string, object | null]>([
    ['approved as a text', { kind: 'function_approval_response', approved: 'true', by: 'eve' }],
    ['approved as a number', { kind: 'function_approval_response', approved: 1, by: 'eve' }],
    ['nobody who decided', { kind: 'function_approval_response', approved: true }],
    ['a blank name', { kind: 'function_approval_response', approved: true, by: ' ' }],
    ['an unknown kind', { kind: 'approve', approved: true, by: 'eve' }],
    ['an edit that is no object', { kind: 'function_approval_response', approved: true, by: 'eve', edit: [1] }],
    ['an edit that is null', { kind: 'function_approval_response', approved: true, by: 'eve', edit: null }],
    ['remember that is null', { kind: 'function_approval_response', approved: true, by: 'eve', remember: null }],
    ['remember that is a text', { kind: 'function_approval_response', approved: true, by: 'eve', remember: 'tool' }],
    [
      'remember of anything',
      { kind: 'function_approval_response', approved: true, by: 'eve', remember: { what: 'all' } },
    ],
    [
      'remember until never',
      {
        kind: 'function_approval_response',
        approved: true,
        by: 'eve',
        remember: { what: 'tool', expiresAt: Number.POSITIVE_INFINITY },
      },
    ],
    ['nothing at all', null],
  ])('an answer with %s is refused, never counts and never throws anything else', async (_, given) => {
    const { log, agent, session, b, c } = await asked()
    const answer = (given === null ? null : { id: b.id, ...given }) as ApprovalResponsePart
    const result: RunResult = await agent.run([yes(c), answer], { session })
    expect(result.refused).toHaveLength(1)
    expect(result).toMatchObject({ stopReason: 'approval_required', approvals: [{ id: b.id }] })
    expect(await agent.store.rules.list()).toEqual([])
    expect(log).toEqual([])
  })
})

describe('serialisable', () => {
  it('requests and answers are plain JSON, and JSON is enough to answer', async () => {
    const { log, agent, session, b, c } = await asked()
    expect(JSON.parse(JSON.stringify(b))).toMatchObject({ id: b.id, tool: 'wipe', arguments: { path: 'b' }, path: [] })
    const answers = JSON.parse(JSON.stringify([yes(b), no(c)])) as ApprovalResponsePart[]
    const done = await agent.run(answers, { session })
    expect([done.stopReason, log]).toEqual(['answered', ['look a', 'wipe b']])
    expect(textOf(done.messages.at(-1)?.parts ?? [])).toBe('done')
  })
})

describe('a recorder that refuses', () => {
  it('a decision that cannot be recorded is not taken: the request stands, and nothing of its error is told (law 7)', async () => {
    let isDown = false
    const recorder = {
      record: () => {
        if (isDown) throw new Error('the audit disk /var/audit is full')
      },
    }
    const { log, agent, session, b, c } = await asked({ recorder })
    isDown = true
    const result = await agent.run([yes(b), no(c)], { session })
    expect(result).toMatchObject({ stopReason: 'approval_required', approvals: [{ id: b.id }, { id: c.id }] })
    expect(result.refused.map(({ reason }) => reason)).toEqual([
      'The answer cannot be taken: it could not be recorded.',
      'The answer cannot be taken: it could not be recorded.',
    ])
    isDown = false
    await agent.run([yes(b), no(c)], { session })
    expect(log).toEqual(['look a', 'wipe b'])
  })
})
