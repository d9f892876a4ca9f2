import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cliHere, type Ended } from './cli-here.ts'
import { cliProcess } from './cli-process.ts'
import { untilExists } from './until-exists.ts'
import { workFolder, type WorkFolder } from './work-folder.ts'

/** A run whose process was killed in the middle of a call that may have taken effect. */
async function lostRun(words: readonly string[]): Promise<{ readonly folder: WorkFolder; readonly runId: string }> {
  const folder = workFolder('stock')
  const moved = join(folder.path, '.fairlead', 'moved.txt')
  const { child, ended } = cliProcess(folder.path, words)
  await Promise.race([untilExists(join(folder.path, '.fairlead', 'moving.txt')), ended])
  child.kill('SIGKILL')
  await ended
  const { items } = JSON.parse((await cliHere(folder.path, ['trace', 'list', '--json'])).out) as {
    readonly items: readonly { readonly id: string }[]
  }
  expect(readFileSync(moved, 'utf8')).toBe('"crate"\n')
  return { folder, runId: items[0]?.id ?? 'none' }
}

function expectPlain({ code, out, error }: Ended): void {
  expect(code).toBe(1)
  expect(out).toContain('One call is in doubt')
  expect(out).toMatch(/^! move_item$/m)
  expect(out).toMatch(/^ {2}call +call_\S+$/m)
  expect(out).toMatch(/^ {4}item +crate$/m)
  expect(out).toMatch(/^ {2}because +the process was lost while the call was under way$/m)
  expect(out).toContain('it is never repeated by itself')
  expect(error).toMatch(/^fairlead: The run cannot go on: it is not known whether move_item took effect[^\n]+\n$/)
}

it('resume says which call is in doubt, what that means, and exits 1', async () => {
  const { folder, runId } = await lostRun(['run', 'move_item crate', '--offline'])
  expectPlain(await cliHere(folder.path, ['resume', runId]))
  const again = await cliHere(folder.path, ['resume', runId, '--json'])
  expect(again.code).toBe(1)
  expect(JSON.parse(again.out)).toMatchObject({
    stopReason: 'in_doubt',
    callsInDoubt: [
      {
        callId: expect.stringMatching(/^call_/),
        tool: 'move_item',
        arguments: { item: 'crate' },
        because: 'the process was lost while the call was under way',
      },
    ],
    error: expect.stringContaining('not known whether move_item took effect'),
  })
  expect(readFileSync(join(folder.path, '.fairlead', 'moved.txt'), 'utf8')).toBe('"crate"\n')
  const shown = await cliHere(folder.path, ['trace', 'show', runId])
  expect(shown.out).toMatch(/^! .*move_item/m)
  expect(shown.out).toMatch(/^ {2}in doubt +it may have taken effect: the process was lost while /m)
})

it('a call somebody made by name says the same', async () => {
  const { folder, runId } = await lostRun(['tools', 'call', 'move_item', '--args', '{"item":"crate"}'])
  const ended = await cliHere(folder.path, ['resume', runId])
  expect(ended.out).toContain('One call is in doubt')
  expectPlain(ended)
})

it('a call in doubt stays listed where the run went on without it', async () => {
  const folder = workFolder('stock')
  const { child, ended } = cliProcess(folder.path, ['run', 'move_item crate', '--offline', '--json'])
  await Promise.race([untilExists(join(folder.path, '.fairlead', 'moving.txt')), ended])
  child.kill('SIGINT')
  const { code, out } = await ended
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ stopReason: 'aborted', callsInDoubt: [{ tool: 'move_item' }] })
})
