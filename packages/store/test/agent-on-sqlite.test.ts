import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from '@fairlead/runtime/core'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../src/index.ts'
import type { SqliteStore } from '../src/index.ts'

let folder = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-agent-'))
  file = join(folder, 'store.db')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function agentOn(store: SqliteStore, model: ScriptedChatClient, done: string[]): Agent {
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks up one item.',
    inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    effects: 'read',
    execute: async (input) => {
      done.push(`look_up ${JSON.stringify(input)}`)
      return { found: true }
    },
  })
  const restart = tool({
    name: 'restart',
    description: 'Restarts one service.',
    inputSchema: { type: 'object', properties: { service: { type: 'string' } }, required: ['service'] },
    effects: 'write',
    needsApproval: true,
    execute: async (input) => {
      done.push(`restart ${JSON.stringify(input)}`)
      return 'restarted'
    },
  })
  return new Agent({ model, tools: [lookUp, restart], store })
}

describe('an agent on a SQLite store', () => {
  it('runs twenty calls of one turn with two commits for the calls', async () => {
    const store = sqliteStore({ file })
    const done: string[] = []
    const calls = Array.from({ length: 20 }, (_, index) => ({ name: 'look_up', arguments: { item: `${index}` } }))
    const result = await agentOn(store, new ScriptedChatClient([{ calls }, 'all found']), done).run('Look them up')
    expect(result.stopReason).toBe('answered')
    expect(done).toHaveLength(20)
    const [run] = await store.journal.runs()
    const stored = await store.journal.calls(run?.id ?? '')
    expect(stored).toHaveLength(20)
    expect(stored.every((call) => call.transitions.at(-1)?.state === call.state)).toBe(true)
    expect(stored[0]?.result?.status).toBe('success')
    expect(store.statistics().commits).toBeLessThanOrEqual(4)
    await store.close()
  })

  it('asks, forgets everything but the file, and goes on when the answer comes', async () => {
    const done: string[] = []
    const first = sqliteStore({ file })
    const asking = new ScriptedChatClient([{ calls: [{ name: 'restart', arguments: { service: 'billing' } }] }])
    const asked = await agentOn(first, asking, done).run('Restart billing')
    expect(asked.stopReason).toBe('approval_required')
    await first.close()
    expect(done).toEqual([])

    const second = sqliteStore({ file })
    const pending = await second.approvals.list({ status: 'pending' })
    expect(pending.map((approval) => approval.arguments)).toEqual([{ service: 'billing' }])
    const answering = agentOn(second, new ScriptedChatClient(['done']), done)
    const answers = pending.map(({ id }) => ({
      kind: 'function_approval_response' as const,
      id,
      approved: true,
      by: 'ann',
    }))
    const result = await answering.run(answers)
    expect(result.stopReason).toBe('answered')
    expect(done).toEqual(['restart {"service":"billing"}'])
    expect((await second.approvals.get(pending[0]?.id ?? ''))?.decidedBy).toBe('ann')
    expect((await second.journal.runs()).map((run) => [run.status, run.lease])).toEqual([['ended', null]])
    await second.close()
  })
})
