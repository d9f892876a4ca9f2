import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, userMessage, type SessionJson } from '@fairlead/runtime'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { sqliteStore } from '@fairlead/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startProgram } from './start-program.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-carried-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function lineOf(args: readonly string[]): Promise<{ readonly [key: string]: unknown }> {
  const program = startProgram('carry-session', args)
  expect(await program.ended).toEqual({ code: 0, signal: null, errors: '' })
  expect(program.lines).toHaveLength(1)
  return program.lines[0]!
}

describe('a session that one process serialises', () => {
  it('goes on in a second process in memory and in a third on SQLite, where it stays', async () => {
    const { session } = (await lineOf(['talk'])) as { session: SessionJson }
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    const json = join(folder, 'session.json')
    writeFileSync(json, JSON.stringify(session))
    const file = join(folder, 'store.db')
    for (const store of ['-', file]) {
      expect(await lineOf(['go-on', json, store])).toEqual({
        kind: 'went-on',
        restored: session,
        told: [...session.messages, userMessage('And now?')],
        text: 'Still there.',
        messages: [userMessage('And now?'), { role: 'assistant', parts: [{ kind: 'text', text: 'Still there.' }] }],
      })
    }

    // This process is the fourth: the conversation went on, so the old state is refused and the stored one stands.
    await using store = sqliteStore({ file })
    const agent = new Agent({ model: new ScriptedChatClient(['Bye.']), store })
    await expect(agent.restoreSession(session)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('6 messages stored, 4 given, different from message 5 on'),
    })
    const stored = await agent.session(session.id)
    const { createdAt, messages } = await stored.serialise()
    expect([createdAt, messages.length]).toEqual([session.createdAt, 6])
    expect((await agent.run('Thanks.', { session: stored })).text).toBe('Bye.')
    expect(await stored.messages()).toHaveLength(8)
  })

  it('restored on SQLite twice at once by two agents is one conversation', async () => {
    const { session } = (await lineOf(['talk'])) as { session: SessionJson }
    const file = join(folder, 'store.db')
    await using one = sqliteStore({ file })
    await using other = sqliteStore({ file })
    const restored = await Promise.all(
      [one, other].map((store) =>
        new Agent({ model: new ScriptedChatClient([]), store }).restoreSession(JSON.stringify(session)),
      ),
    )
    for (const handle of restored) expect(await handle.serialise()).toEqual(session)
  })
})
