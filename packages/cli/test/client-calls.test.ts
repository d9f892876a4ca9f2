import { systemClock } from '@fairlead/runtime/core'
import { sqliteStore } from '@fairlead/store'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliHere, type Ended } from './cli-here.ts'
import { workFolder, type WorkFolder } from './work-folder.ts'

type Document = {
  readonly runId: string
  readonly stopReason: string
  readonly text: string
  readonly clientCalls: readonly { readonly callId: string; readonly tool: string; readonly arguments: unknown }[]
}

function parsed(ended: Ended): Document {
  expect(ended).toMatchObject({ code: 0 })
  return JSON.parse(ended.out) as Document
}

async function started(folder: WorkFolder, rooms = 'cellar'): Promise<Document & { readonly call: string }> {
  const run = parsed(await cliHere(folder.path, ['run', rooms, '--json']))
  return { ...run, call: run.clientCalls[0]?.callId ?? 'none' }
}

describe('a call that waits for its result from the host', () => {
  it('is named in the document of the run', async () => {
    const run = await started(workFolder('meter'), 'cellar attic')
    expect(run).toMatchObject({
      stopReason: 'client_tool_required',
      clientCalls: [
        { callId: expect.stringMatching(/^call_/), tool: 'read_meter', arguments: { room: 'cellar' } },
        { callId: expect.stringMatching(/^call_/), tool: 'read_meter', arguments: { room: 'attic' } },
      ],
    })
  })

  it('is told to a person with its arguments and the commands to go on', async () => {
    const { code, out, error } = await cliHere(workFolder('meter').path, ['run', 'cellar'])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    const id = /call_\w+/.exec(out)?.[0] ?? 'none'
    expect(out).toMatch(/^\? read_meter \{"room":"cellar"\} {2}needs its result from you$/m)
    expect(out).toContain('One call waits for its result from you:')
    expect(out).toMatch(/^ {4}room {5}cellar$/m)
    expect(out).toContain(`fairlead calls answer ${id} --result '"the result as JSON"'\n`)
    expect(out).toContain(`fairlead calls answer ${id} --error UNAVAILABLE --message 'say why'\n`)
  })

  it('answered from elsewhere, its result reaches the model and the run goes on', async () => {
    const folder = workFolder('meter')
    const { call, runId } = await started(folder)
    const words = ['calls', 'answer', call, '--result', '{"kWh": 7}', '--store', folder.store, '--json']
    const ended = parsed(await cliHere(workFolder('meter').path, words))
    expect(ended).toMatchObject({ runId, stopReason: 'answered', approvals: [], clientCalls: [] })
    expect(ended.text).toContain('"data":{"kWh":7}')
    const evidence = await cliHere(folder.path, ['evidence', 'show', `evidence://${runId}/${call}`, '--json'])
    expect(JSON.parse(evidence.out)).toMatchObject({ value: { kWh: 7 } })

    const again = await cliHere(folder.path, ['calls', 'answer', call, '--result', '1'])
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.error).toMatch(/^fairlead: Call call_\w+ is settled already: Succeeded at \d{4}-\S+Z\.\n$/)
  })

  it('takes an error with its message for a result', async () => {
    const folder = workFolder('meter')
    const { call } = await started(folder)
    const words = ['calls', 'answer', call, '--error', 'NOT_FOUND', '--message', 'no such meter', '--json']
    const ended = parsed(await cliHere(folder.path, words))
    expect(ended).toMatchObject({ stopReason: 'answered' })
    expect(ended.text).toContain('no such meter')
  })

  it('keeps the run waiting while another call of it has no result', async () => {
    const folder = workFolder('meter')
    const { call, clientCalls } = await started(folder, 'cellar attic')
    const one = parsed(await cliHere(folder.path, ['calls', 'answer', call, '--result', '"7"', '--json']))
    expect(one).toMatchObject({ stopReason: 'client_tool_required', clientCalls: [{ callId: clientCalls[1]?.callId }] })
    const settled = await cliHere(folder.path, ['calls', 'answer', call, '--result', '"8"'])
    expect(settled).toMatchObject({ code: 1, error: expect.not.stringContaining('resume') })
    const words = ['calls', 'answer', clientCalls[1]?.callId ?? 'none', '--result', '"9"', '--json']
    expect(parsed(await cliHere(folder.path, words))).toMatchObject({ stopReason: 'answered', clientCalls: [] })
  })

  it.each(['call_nope_1_0', 'nonsense'])('says that there is no call %s', async (id) => {
    const folder = workFolder('meter')
    const none = await cliHere(folder.path, ['calls', 'answer', id, '--result', '1'])
    expect(none).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringContaining(`There is no call ${id}: there is no store at ${folder.store}.`),
    })
    await started(folder)
    const unknown = await cliHere(folder.path, ['calls', 'answer', id, '--result', '1'])
    expect(unknown).toMatchObject({ code: 1, out: '', error: expect.stringContaining(`There is no call ${id} in`) })
  })

  it('is not answered where the configuration cannot be found', async () => {
    const folder = workFolder('meter')
    const { call } = await started(folder)
    renameSync(join(folder.path, 'fairlead.config.ts'), join(folder.path, 'moved.ts'))
    const lost = await cliHere(folder.path, ['calls', 'answer', call, '--result', '1'])
    expect(lost).toMatchObject({ code: 2, out: '', error: expect.stringContaining('Nothing was recorded; --config') })
    const words = ['calls', 'answer', call, '--result', '1', '--config', 'moved.ts', '--json']
    expect(parsed(await cliHere(folder.path, words))).toMatchObject({ stopReason: 'answered' })
  })

  it('goes on in the process that works on its run, and tells a different answer that came first', async () => {
    const folder = workFolder('meter')
    const { call, runId } = await started(folder)
    const store = sqliteStore({ file: folder.store })
    const lease = { worker: 'worker_elsewhere', until: systemClock.now() + 600_000 }
    await store.journal.append([{ kind: 'run-claimed', runId, expectedLease: null, lease }])
    await store.close()
    const ended = await cliHere(folder.path, ['calls', 'answer', call, '--result', '1', '--json'])
    expect(ended.error).toContain('The answer is recorded. Another process is working on run')
    expect(parsed(ended)).toMatchObject({ runId, clientCalls: [] })
    const late = await cliHere(folder.path, ['calls', 'answer', call, '--result', '2'])
    expect(late).toMatchObject({ code: 1, error: expect.stringContaining('Its run goes on in another process.') })
    expect(late.error).not.toContain('resume')
  })

  it.each([
    ['nothing', [], 'Give the answer'],
    ['both', ['--result', '1', '--error', 'X', '--message', 'y'], 'Give the answer'],
    ['a result that is no JSON', ['--result', '{'], '--result expects JSON'],
    ['a message beside a result', ['--result', '1', '--message', 'x'], '--message goes with --error'],
    ['an error without a message', ['--error', 'X'], '--error needs --message'],
    ['a code in lower case', ['--error', 'x', '--message', 'y'], '--error expects a code'],
  ])('takes one answer: %s is a usage failure', async (_name, words, message) => {
    const ended = await cliHere(workFolder('meter').path, ['calls', 'answer', 'call_1_1_0', ...words])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringContaining(message) })
  })
})
