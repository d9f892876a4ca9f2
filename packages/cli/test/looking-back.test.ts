import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { workFolder, type WorkFolder } from './work-folder.ts'

type Started = { readonly runId: string; readonly approvals: readonly { readonly id: string }[] }

async function started(
  folder: WorkFolder,
  prompt: string,
): Promise<{ readonly run: string; readonly request: string }> {
  const ended = await cliHere(folder.path, ['run', prompt, '--offline', '--json'])
  const { runId, approvals } = JSON.parse(ended.out) as Started
  return { run: runId, request: approvals[0]?.id ?? 'none' }
}

describe('trace show', () => {
  it('says who decided a call, when and why', async () => {
    const folder = workFolder('stock')
    const { run, request } = await started(folder, 'order_item crate')
    expect((await cliHere(folder.path, ['trace', 'show', run])).out).toMatch(
      new RegExp(`^ {2}approval +${request}: pending, expires \\S+`, 'm'),
    )
    await cliHere(folder.path, ['approvals', 'deny', request, '--by', 'bob', '--reason', 'too dear'])
    const { out } = await cliHere(folder.path, ['trace', 'show', run])
    expect(out).toMatch(new RegExp(`^ {2}approval +${request}: denied by bob at \\S+Z: too dear$`, 'm'))
    const document = await cliHere(folder.path, ['trace', 'show', run, '--json'])
    expect(JSON.parse(document.out)).toMatchObject({
      calls: [{ approvals: [{ id: request, status: 'denied', decidedBy: 'bob', reason: 'too dear' }] }],
    })
  })

  it('gives the text of an INTERNAL failure to the operator', async () => {
    const folder = workFolder('stock')
    const { run } = await started(folder, 'count_item crate')
    const { out } = await cliHere(folder.path, ['trace', 'show', run])
    expect(out).toMatch(/^ {2}thrown +TypeError: rack 7 has no shelf$/m)
    const document = await cliHere(folder.path, ['trace', 'show', run, '--json'])
    expect(JSON.parse(document.out)).toMatchObject({ calls: [{ thrown: 'TypeError: rack 7 has no shelf' }] })
  })
})

describe('a tool that changed after it was approved', () => {
  it('is asked about again, and it is said that the approval was not used', async () => {
    const folder = workFolder('stock')
    const { run, request } = await started(folder, 'order_item crate')
    writeFileSync(join(folder.path, '.fairlead', 'version.txt'), '2')
    const ended = await cliHere(folder.path, ['approvals', 'approve', request])
    expect(ended.code).toBe(0)
    expect(ended.error).toContain('order_item changed from version 1 to 2; your approval was not used.')
    expect(ended.out).toContain('One call waits for a decision:')
    expect(existsSync(join(folder.path, '.fairlead', 'ordered.txt'))).toBe(false)
    const { out } = await cliHere(folder.path, ['trace', 'show', run])
    expect(out.match(/^ {2}approval +approval_/gm)).toHaveLength(2)
  })
})

describe('run --json', () => {
  it('says why a run stopped badly', async () => {
    const ended = await cliHere(workFolder().path, ['run', 'break it', '--offline', '--json'])
    expect(ended.code).toBe(1)
    expect(JSON.parse(ended.out)).toMatchObject({
      stopReason: 'model_error',
      callsInDoubt: [],
      error: expect.stringContaining('the line is dead'),
    })
    const good = await cliHere(workFolder().path, ['run', 'paint', '--offline', '--json'])
    expect(JSON.parse(good.out)).toMatchObject({ stopReason: 'answered', error: null })
  })
})

describe('a failed call', () => {
  it('is told once on each stream, without "stopped: answered", its issues apart', async () => {
    const folder = workFolder()
    const words = ['tools', 'call', 'look_up', '--args', '{"title":1,"door":2}']
    const { code, out, error } = await cliHere(folder.path, words)
    expect(code).toBe(1)
    expect(error).toMatch(/^fairlead: INVALID_ARGUMENT: \S[^;\n]+; [^\n]+\n$/)
    expect(out).toMatch(/^✗ look_up .* {2}INVALID_ARGUMENT$/m)
    expect(out).not.toContain('answered')
    expect(out).toMatch(/^Run run_\S+ failed\. Trace: fairlead trace show run_\S+$/m)
  })

  it('that was approved in a run of a model is told the same way', async () => {
    const folder = workFolder('stock')
    const { request } = await started(folder, 'order_item crate')
    writeFileSync(join(folder.path, '.fairlead', 'closed'), '')
    const { code, out, error } = await cliHere(folder.path, ['approvals', 'approve', request])
    expect(code).toBe(1)
    expect(error).toBe('fairlead: CLOSED: Nobody is there.\n')
    expect(out).toMatch(/^✗ order_item .* {2}CLOSED( {2}\d+ ms)?$/m)
    expect(out).not.toContain('Nobody is there.')
  })
})
