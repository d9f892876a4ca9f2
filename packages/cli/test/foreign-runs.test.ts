import { Agent, decideApproval, systemClock, tool } from '@fairlead/runtime/core'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { sqliteStore } from '@fairlead/store'
import { expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { workFolder, type WorkFolder } from './work-folder.ts'

/** A run that a program of its own began, in the store of the folder: it waits for a person. */
async function foreignRun(folder: WorkFolder): Promise<{ readonly runId: string; readonly request: string }> {
  await using store = sqliteStore({ file: folder.store })
  const agent = new Agent({
    store,
    model: new ScriptedChatClient([{ calls: [{ name: 'open_ticket', arguments: { title: 'the lift' } }] }]),
    tools: [
      tool({
        name: 'open_ticket',
        description: 'Opens a ticket.',
        inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
        effects: 'write',
        needsApproval: true,
        execute: () => null,
      }),
    ],
  })
  const { runId, approvals } = await agent.run('the lift')
  return { runId, request: approvals[0]?.id ?? 'none' }
}

it('a request of a run that a program began is shown with the configuration its decision needs', async () => {
  const folder = workFolder()
  const { request } = await foreignRun(folder)
  const shown = await cliHere(folder.path, ['approvals', 'show', request])
  expect(shown.out).toContain(`fairlead approvals approve ${request} --config FILE\n`)
  expect(shown.out).toContain(`fairlead approvals deny ${request} --reason 'say why' --config FILE`)
  // Whoever named one already sees that one.
  const named = await cliHere(folder.path, ['approvals', 'show', request, '--config', 'fairlead.config.ts'])
  expect(named.out).toContain(`fairlead approvals approve ${request} --config fairlead.config.ts\n`)

  const bare = await cliHere(folder.path, ['approvals', 'approve', request])
  expect(bare).toMatchObject({ code: 2, error: expect.stringContaining('was not started by this command') })
  const words = ['approvals', 'approve', request, '--config', 'fairlead.config.ts', '--offline']
  const decided = await cliHere(folder.path, words)
  expect({ code: decided.code, error: decided.error }).toMatchObject({ code: 0 })
})

it('a run of the command is shown without one, as its record names it', async () => {
  const folder = workFolder()
  const { out } = await cliHere(folder.path, ['run', 'the lift', '--offline'])
  const request = /approval_\w+/.exec(out)?.[0] ?? 'none'
  const shown = await cliHere(folder.path, ['approvals', 'show', request])
  expect(shown.out).toContain(`fairlead approvals approve ${request}\n`)
  expect(out + shown.out).not.toContain('--config')
})

it('resume of such a run prints how to decide with the configuration it was given', async () => {
  const folder = workFolder()
  const { runId, request } = await foreignRun(folder)
  const words = ['resume', runId, '--config', 'fairlead.config.ts', '--offline']
  const resumed = await cliHere(folder.path, words)
  expect(resumed.out).toContain(`fairlead approvals approve ${request} --config fairlead.config.ts\n`)
})

it('a decision whose process died is named with the configuration that resume needs', async () => {
  const folder = workFolder()
  const { runId, request } = await foreignRun(folder)
  const store = sqliteStore({ file: folder.store })
  const longAgo = { ...systemClock, now: () => systemClock.now() - 60_000 }
  await decideApproval(store, { id: request, approved: true, by: 'bob' }, { clock: longAgo })
  await store.close()
  const late = await cliHere(folder.path, ['approvals', 'approve', request])
  expect(late.error).toContain(`go on with: fairlead resume ${runId} --config FILE`)
})

it('a call that waits for its result from the host is listed with it too', async () => {
  const folder = workFolder()
  await using store = sqliteStore({ file: folder.store })
  const agent = new Agent({
    store,
    model: new ScriptedChatClient([{ calls: [{ name: 'read_meter', arguments: {} }] }]),
    tools: [tool({ name: 'read_meter', description: 'Reads a meter.', inputSchema: { type: 'object' } })],
  })
  expect((await agent.run('go')).stopReason).toBe('client_tool_required')
  const listed = await cliHere(folder.path, ['calls', 'list'])
  expect(listed.out).toMatch(/fairlead calls answer call_\S+ --result '"the result as JSON"' --config FILE/)
})
