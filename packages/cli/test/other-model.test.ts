import { join } from 'node:path'
import { Agent, tool } from '@fairlead/runtime/core'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { sqliteStore } from '@fairlead/store'
import { expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { workFolder } from './work-folder.ts'

const title = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }

/** A run of a program of one's own, which the command knows nothing of but the store. */
async function runOfAProgram(storeFile: string): Promise<{ readonly run: string; readonly request: string }> {
  const store = sqliteStore({ file: storeFile })
  const agent = new Agent({
    store,
    model: new ScriptedChatClient([
      { calls: [{ name: 'look_up', arguments: { title: 'x' } }] },
      { calls: [{ name: 'open_ticket', arguments: { title: 'x' } }] },
    ]),
    tools: ['look_up', 'open_ticket'].map((name) =>
      tool({
        name,
        description: name === 'look_up' ? 'Looks something up.' : 'Opens a ticket.',
        inputSchema: { ...title, additionalProperties: false },
        effects: name === 'look_up' ? 'read' : 'write',
        needsApproval: name === 'open_ticket',
        execute: () => ({ done: true }),
      }),
    ),
  })
  const { runId, approvals } = await agent.run('x')
  await store.close()
  return { run: runId, request: approvals[0]?.id ?? 'none' }
}

it.each([
  ['approve', (request: string) => ['approvals', 'approve', request]],
  ['deny', (request: string) => ['approvals', 'deny', request, '--reason', 'no']],
])('%s takes the model its message asks for', async (_name, words) => {
  const folder = workFolder()
  const { request } = await runOfAProgram(folder.store)
  const typed = [...words(request), '--config', join(folder.path, 'fairlead.config.ts')]
  const refused = await cliHere(folder.path, typed)
  expect(refused).toMatchObject({ code: 2, out: '' })
  expect(refused.error).toContain('the agent has no model. Give it one, name one with --model, or')
  expect(refused.error).toContain('Nothing was recorded')
  const both = await cliHere(folder.path, [...typed, '--offline', '--model', 'openai:x'])
  expect(both).toMatchObject({ code: 2, error: expect.stringContaining('exclude each other') })
  const keyless = await cliHere(folder.path, [...typed, '--model', 'openai:gpt-5.1'])
  expect(keyless).toMatchObject({ code: 2, error: expect.stringContaining('Set OPENAI_API_KEY') })
  const ended = await cliHere(folder.path, [...typed, '--offline'])
  expect(ended.code).toBe(0)
  expect(ended.out).toContain('fixed script')
})

it('resume takes it too, and a model named now goes before the one the run was started with', async () => {
  const folder = workFolder()
  const { run } = await runOfAProgram(folder.store)
  const words = ['resume', run, '--config', 'fairlead.config.ts']
  expect(await cliHere(folder.path, words)).toMatchObject({ code: 2, error: expect.stringContaining('has no model') })
  expect(await cliHere(folder.path, [...words, '--offline'])).toMatchObject({ code: 0 })
  const started = await cliHere(folder.path, ['run', 'the lift', '--offline', '--json'])
  const { runId } = JSON.parse(started.out) as { readonly runId: string }
  const other = await cliHere(folder.path, ['resume', runId, '--model', 'openai:gpt-5.1'])
  expect(other).toMatchObject({ code: 2, error: expect.stringContaining('Set OPENAI_API_KEY') })
})

it('so does answering a call', async () => {
  const folder = workFolder('meter')
  const started = await cliHere(folder.path, ['run', 'hall', '--json'])
  const { clientCalls } = JSON.parse(started.out) as { readonly clientCalls: readonly { readonly callId: string }[] }
  const words = ['calls', 'answer', clientCalls[0]?.callId ?? 'none', '--result', '1']
  const other = await cliHere(folder.path, [...words, '--model', 'openai:gpt-5.1'])
  expect(other).toMatchObject({ code: 2, error: expect.stringContaining('Set OPENAI_API_KEY') })
  const offline = await cliHere(folder.path, [...words, '--offline'])
  expect(offline).toMatchObject({ code: 2, error: expect.stringContaining('has no "offlineModel"') })
  expect(await cliHere(folder.path, words)).toMatchObject({ code: 0 })
})
