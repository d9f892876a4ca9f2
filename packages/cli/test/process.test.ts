import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { cliProcess } from './cli-process.ts'
import { untilExists } from './until-exists.ts'
import { workFolder } from './work-folder.ts'

describe('the command as a process', () => {
  it('ends by itself without a terminal, with the pending approval named', async () => {
    const { code, out, error } = await cliProcess(workFolder().path, ['run', 'the lift', '--offline']).ended
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(/approvals approve approval_\w+\n/)
  })

  it('approving the same request in two processes opens one ticket, and the second is refused', async () => {
    const folder = workFolder()
    const run = JSON.parse((await cliHere(folder.path, ['run', 'the lift', '--offline', '--json'])).out) as {
      readonly approvals: readonly { readonly id: string }[]
    }
    const id = run.approvals[0]?.id ?? 'none'
    const both = await Promise.all(
      ['bob', 'eve'].map((by) => cliProcess(folder.path, ['approvals', 'approve', id, '--by', by]).ended),
    )
    expect(both.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 1])
    expect(both.find(({ code }) => code === 1)?.error).toMatch(/is settled already: approved by (bob|eve) at/)
    expect(both.find(({ code }) => code === 1)?.error).not.toContain('resume')
    expect(folder.tickets()).toEqual(['the lift'])
  })

  it('stops a run in order at the first Ctrl-C', async () => {
    const folder = workFolder()
    const { child, ended } = cliProcess(folder.path, ['run', 'wait for it', '--offline', '--json'])
    await Promise.race([untilExists(join(folder.path, '.fairlead', 'waiting.txt')), ended])
    child.kill('SIGINT')
    const { code, out, error } = await ended
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ stopReason: 'aborted' })
    expect(error).toContain('Stopping the run')
  })

  it('finishes its work when nobody reads its output any more', async () => {
    const folder = workFolder()
    const { child, ended } = cliProcess(folder.path, ['run', 'the lift', '--offline'])
    child.stdout?.destroy()
    const { code, error } = await ended
    expect({ code, error }).toEqual({ code: 0, error: '' })
    const runs = JSON.parse((await cliHere(folder.path, ['trace', 'list', '--json'])).out) as {
      readonly items: unknown
    }
    expect(runs.items).toMatchObject([{ stopReason: 'approval_required' }])
  })
})
