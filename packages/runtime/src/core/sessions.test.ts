import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, tool, userMessage, type AgentOptions, type SessionJson, type Store } from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

const clock = new ManualClock()

const look = tool({
  name: 'look_up',
  description: 'Looks up one item.',
  inputSchema: z.object({ item: z.string() }),
  effects: 'read',
  execute: ({ item }, context) => {
    // Only proves that the service was there: what it holds is not part of any message.
    if (context.services === undefined) throw new Error('no services')
    return { item, found: true }
  },
})

const mail = tool({
  name: 'send_mail',
  description: 'Sends a mail.',
  inputSchema: z.object({}),
  effects: 'write',
  needsApproval: true,
  execute: () => 'sent',
})

const secret = 'hunter2-never-written'

function agentWith(turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const model = new ScriptedChatClient(turns)
  const services = { password: secret, connect: () => secret }
  return { model, agent: new Agent({ model, tools: [look, mail], services, clock, ...options }) }
}

const lookUp: ScriptedTurn = { text: 'I look.', calls: [{ name: 'look_up', arguments: { item: 'a' } }] }

async function talked(turns: readonly ScriptedTurn[] = [lookUp, 'It is there.']) {
  const { agent } = agentWith(turns)
  const session = await agent.session()
  await agent.run('Is a there?', { session })
  return { agent, session }
}

describe('a serialised session', () => {
  it('is plain JSON with a schema version, and nothing of the agent is in it', async () => {
    const { session } = await talked()
    const json = await session.serialise()
    expect(json).toEqual({
      schemaVersion: 1,
      id: session.id,
      createdAt: clock.now(),
      conversationVersion: 1,
      messages: await session.messages(),
    })
    expect(json.messages).toHaveLength(4)
    const text = JSON.stringify(json)
    expect(JSON.parse(text)).toEqual(json)
    expect(text).not.toContain(secret)
    expect(text).not.toContain('Looks up one item')
  })

  it('is a copy: what is done to it does not reach the store', async () => {
    const { session } = await talked()
    const json = await session.serialise()
    const before = JSON.stringify(json)
    for (const message of json.messages) Object.assign(message, { role: 'system', parts: [] })
    expect(JSON.stringify(await session.serialise())).toBe(before)
  })

  it('of a conversation nobody wrote to says so, and restoring it writes nothing', async () => {
    const { agent } = agentWith([])
    const json = await (await agent.session('session_new')).serialise()
    expect(json).toMatchObject({ id: 'session_new', createdAt: null, messages: [] })
    const other = agentWith(['hello']).agent
    const session = await other.restoreSession(json)
    expect(await other.store.sessions.get('session_new')).toBeUndefined()
    expect((await other.run('hi', { session })).sessionId).toBe('session_new')
  })

  it.each<readonly [string, (json: SessionJson) => unknown]>([
    ['value', (json) => json],
    ['JSON text', (json) => JSON.stringify(json)],
  ])('restores from its %s in another store and the next run goes on with the whole conversation', async (_, form) => {
    const { session } = await talked()
    const json = await session.serialise()
    const { agent, model } = agentWith(['Still there.'])
    const restored = await agent.restoreSession(form(json))
    expect(restored.id).toBe(session.id)
    expect(await restored.serialise()).toEqual(json)
    const result = await agent.run('And now?', { session: restored })
    expect(result).toMatchObject({ stopReason: 'answered', text: 'Still there.', sessionId: session.id })
    expect(model.requests[0]?.messages).toEqual([...json.messages, userMessage('And now?')])
    expect(result.messages).toHaveLength(2)
  })

  it('is restored as a copy: what is done to the given value afterwards does not reach the store', async () => {
    const { session } = await talked()
    const json = await session.serialise()
    const { agent } = agentWith([])
    const restored = await agent.restoreSession(json)
    const before = await restored.serialise()
    for (const message of json.messages) Object.assign(message, { parts: [] })
    expect(await restored.serialise()).toEqual(before)
  })

  it('restored twice with the same messages is one conversation, whatever the order of their members', async () => {
    const { session } = await talked()
    const json = await session.serialise()
    const { agent } = agentWith([])
    const reordered = {
      ...json,
      messages: json.messages.map(({ role, parts }) => ({
        parts: parts.map((part) => Object.fromEntries(Object.entries(part).toReversed())),
        role,
      })),
    }
    await Promise.all([agent.restoreSession(json), agent.restoreSession(reordered)])
    const again = await agent.restoreSession(reordered)
    expect(await again.serialise()).toEqual(json)
  })

  it('is refused where the store holds other messages under its id, and nothing is lost', async () => {
    const { agent, session } = await talked([lookUp, 'It is there.', 'Bye.'])
    const early = await session.serialise()
    await agent.run('Thanks.', { session })
    const late = await session.serialise()
    const foreign = { ...late, messages: [userMessage('Something else.'), ...late.messages.slice(1)] }
    for (const [given, place] of [
      [early, '6 messages stored, 4 given, different from message 5 on'],
      [foreign, '6 messages stored, 6 given, different from message 1 on'],
    ] as const) {
      await expect(agent.restoreSession(given)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(place),
      })
    }
    expect(await session.serialise()).toEqual(late)
  })

  it('is refused, all of it, when its messages cannot be written', async () => {
    const { session } = await talked()
    const json = await session.serialise()
    const store = memoryStore()
    const full: Store = {
      ...store,
      journal: { ...store.journal, append: () => Promise.reject(new Error('no space')) },
    }
    await expect(agentWith([], { store: full }).agent.restoreSession(json)).rejects.toThrow('no space')
    expect(await store.sessions.get(json.id)).toBeUndefined()
  })

  it('waits for no answer: a suspended conversation is not serialised until it is answered', async () => {
    const { agent } = agentWith([{ calls: [{ name: 'send_mail' }] }, 'Sent.'])
    const session = await agent.session()
    const asked = await agent.run('Mail it.', { session })
    expect(asked.stopReason).toBe('approval_required')
    await expect(session.serialise()).rejects.toMatchObject({
      code: 'RUN_BUSY',
      message: expect.stringMatching(/approval_required.*Answer it first/),
    })
    await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect((await session.serialise()).messages).toHaveLength(4)
  })

  it('is refused while a run works on the conversation', async () => {
    let seen: unknown
    const { agent } = agentWith([
      lookUp,
      async () => {
        seen = await session.serialise().catch((error: unknown) => error)
        return 'done'
      },
    ])
    const session = await agent.session()
    const result = await agent.run('go', { session })
    expect(seen).toMatchObject({ code: 'RUN_BUSY', message: expect.stringContaining(result.runId) })
    expect((await session.serialise()).messages).toHaveLength(4)
  })

  const good: SessionJson = {
    schemaVersion: 1,
    id: 'session_a',
    createdAt: 1,
    conversationVersion: 1,
    messages: [userMessage('hi')],
  }

  it.each<readonly [string, unknown, string]>([
    ['nothing', undefined, 'expected {schemaVersion, id, createdAt, messages}, found null'],
    ['a list', [good], 'found [{"schemaVersion":1'],
    ['a function', () => good, 'found null'],
    ['text that is no JSON', '{"schemaVersion": 1, "id"', 'expected JSON, found a text of 25 characters'],
    ['a value JSON cannot carry', { ...good, createdAt: 1n }, 'expected JSON, found a value'],
    ['another product', { version: 3, threads: [] }, 'expected schemaVersion 1, found nothing'],
    ['a newer version', { ...good, schemaVersion: 2 }, 'expected schemaVersion 1, found 2; restore it with a Fairlead'],
    ['a version of another kind', { ...good, schemaVersion: '1' }, 'expected schemaVersion 1, found "1"'],
    ['no id', { ...good, id: undefined }, 'id: expected a text, found nothing'],
    ['an empty id', { ...good, id: '' }, 'id: expected a text, found ""'],
    ['no time', { ...good, createdAt: '2026' }, 'createdAt: expected whole milliseconds'],
    ['a time before time', { ...good, createdAt: -1 }, 'createdAt: expected whole milliseconds'],
    ['newer messages', { ...good, conversationVersion: 2 }, 'expected version 1, found 2'],
    ['no messages', { ...good, messages: undefined }, 'messages: must be array'],
    ['an unknown role', { ...good, messages: [{ role: 'boss', parts: [] }] }, 'messages.0.role: must be one of'],
    ['an unknown part', { ...good, messages: [{ role: 'user', parts: [{ kind: 'x' }] }] }, 'messages.0.parts.0.kind'],
  ])('is not read from %s: one error says what was expected and what was found', async (_, value, words) => {
    const { agent } = agentWith([])
    await expect(agent.restoreSession(value)).rejects.toMatchObject({
      name: 'FairleadError',
      code: 'INVALID_MESSAGE',
      message: expect.stringContaining(words),
    })
    expect(await agent.store.sessions.get('session_a')).toBeUndefined()
  })

  it('names the cycle of a value as what it is: no JSON', async () => {
    const ring: { [key: string]: unknown } = { ...good }
    ring['self'] = ring
    await expect(agentWith([]).agent.restoreSession(ring)).rejects.toMatchObject({ code: 'INVALID_MESSAGE' })
  })
})
