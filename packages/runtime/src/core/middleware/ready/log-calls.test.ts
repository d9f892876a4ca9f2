import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, logCalls, tool, ToolError, type Json, type LogCallsOptions, type ToolLogger } from '../../index.ts'
import { ScriptedChatClient } from '../../../testing/index.ts'

type Line = readonly [level: string, message: string, fields: { readonly [key: string]: Json }]

function setting(options?: LogCallsOptions) {
  const lines: Line[] = []
  const logger: ToolLogger = {
    info: (message, fields = {}) => void lines.push(['info', message, fields]),
    warn: (message, fields = {}) => void lines.push(['warn', message, fields]),
  }
  const inputSchema = z.object({ key: z.string() })
  const store = tool({ name: 'store', description: 'Stores.', inputSchema, execute: () => 'ok' })
  const fails = tool({
    name: 'fails',
    description: 'Fails.',
    inputSchema,
    execute: () => {
      throw new ToolError('FULL', 'Full.')
    },
  })
  const gated = tool({ name: 'gated', description: 'Waits.', inputSchema, needsApproval: true, execute: () => 'ok' })
  const model = new ScriptedChatClient([
    {
      calls: [
        { name: 'store', arguments: { key: 'secret-1' } },
        { name: 'fails', arguments: { key: 'secret-2' } },
        { name: 'store', arguments: { key: 3 } },
        { name: 'nowhere', arguments: { key: 'secret-4' } },
      ],
    },
    { calls: [{ name: 'gated', arguments: { key: 'secret-5' } }] },
    'done',
  ])
  const agent = new Agent({ model, tools: [store, fails, gated], middleware: logCalls(options), logger })
  return { agent, lines }
}

async function runAndApprove(agent: Agent, streaming: boolean): Promise<void> {
  const asked = await (streaming ? agent.stream('go').result : agent.run('go'))
  expect(asked.stopReason).toBe('approval_required')
  await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
}

describe('logCalls', () => {
  it.each([false, true])('writes how every call ended, those that never ran too (streamed: %s)', async (streaming) => {
    const { agent, lines } = setting()
    await runAndApprove(agent, streaming)
    expect(lines.map(([level, message]) => `${level} ${message.replace(/\d+ ms/, 'N ms')}`).toSorted()).toEqual([
      'info gated: NeedsApproval',
      'info gated: Succeeded, N ms',
      'info store: Succeeded, N ms',
      'warn fails: Failed, FULL, N ms',
      'warn nowhere: Rejected, UNKNOWN_TOOL',
      'warn store: Rejected, INVALID_ARGUMENT',
    ])
  })

  it('writes no value of an argument unless asked', async () => {
    const { agent, lines } = setting()
    await runAndApprove(agent, false)
    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain('secret')
    expect(lines.find(([, message]) => message.startsWith('gated'))?.[2]['arguments']).toEqual(['key'])

    const asked = setting({ arguments: true })
    await runAndApprove(asked.agent, false)
    expect(asked.lines.find(([, message]) => message.startsWith('gated'))?.[2]['arguments']).toEqual({
      key: 'secret-5',
    })
  })

  it('changes nothing when the logger throws', async () => {
    const { agent } = setting()
    const broken = (): never => {
      throw new Error('disk full')
    }
    const result = await agent.with({ logger: { info: broken, warn: broken } }).run('go')
    expect(result.stopReason).toBe('approval_required')
  })
})
