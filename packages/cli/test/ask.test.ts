import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cliHere, type Ended } from './cli-here.ts'
import { scriptedTerminal, type Keys, type ScriptedTerminal } from './scripted-terminal.ts'
import { workFolder, type WorkFolder } from './work-folder.ts'

const question = 'Run open_ticket with these arguments?'
const why = 'Why not? The model is told.'

async function asked(
  script: readonly Keys[],
  size?: { readonly columns?: number },
): Promise<{ readonly ended: Ended; readonly terminal: ScriptedTerminal; readonly folder: WorkFolder }> {
  const folder = workFolder()
  const terminal = scriptedTerminal(script, size)
  const ended = await cliHere(folder.path, ['run', 'the lift', '--offline'], { terminal })
  expect(terminal.unasked()).toBe(0)
  return { ended: { ...ended, out: stripVTControlCharacters(ended.out) }, terminal, folder }
}

describe('the question on a terminal', () => {
  it.each([
    ['a', ''],
    ['y', ''],
    ['an arrow down and Enter', '\u001b[B\r'],
    ['arrows round the list, then a', '\u001b[Aj\u001b[B\u001b[Ba'],
  ])('%s approves and says so', async (key, typed) => {
    const { ended, terminal, folder } = await asked([[question, typed === '' ? key : typed]])
    expect(folder.tickets()).toEqual(['the lift'])
    expect(terminal.drawn()).toMatch(/Approve \(a or y\)\s*$/)
    expect(ended).toMatchObject({ code: 0, error: '' })
    expect(ended.out).toContain('The ticket is open.')
  })

  it.each(['d', 'n', 'kd'])('%s denies, with the reason that is asked for', async (keys) => {
    const { ended, folder } = await asked([
      [question, keys],
      [why, 'not today\r'],
    ])
    expect(folder.tickets()).toEqual([])
    expect(ended.out).toContain('No ticket: APPROVAL_DENIED.')
    const list = await cliHere(folder.path, ['approvals', 'list', '--status', 'all', '--json'])
    expect(JSON.parse(list.out)).toMatchObject({ items: [{ status: 'denied', reason: 'not today' }] })
  })

  it('an empty reason is asked for again', async () => {
    const { ended } = await asked([
      [question, 'd'],
      [why, '\r'],
      ['Say why, or press Escape to decide later.', 'no\r'],
    ])
    expect(ended.out).toContain('No ticket: APPROVAL_DENIED.')
  })

  it.each([
    ['Ctrl-D', '\u0004'],
    ['Ctrl-C', '\u0003'],
    ['the end of the input', null],
  ])('a denial left by %s says that it is not recorded', async (_name, keys) => {
    const { ended, folder } = await asked([
      [question, 'd'],
      [why, keys],
    ])
    expect(ended.out).toContain('The denial is not recorded')
    const list = await cliHere(folder.path, ['approvals', 'list', '--json'])
    expect(JSON.parse(list.out)).toMatchObject({ items: [{ status: 'pending' }] })
  })

  it.each([
    ['l', 'l'],
    ['l from elsewhere in the list', '\u001b[Bl'],
    ['Enter', '\r'],
    ['Ctrl-D', '\u0004'],
    ['Ctrl-C', '\u0003'],
    ['the end of the input', null],
  ])('%s decides later, and only the commands follow', async (_name, keys) => {
    const { ended, folder } = await asked([[question, keys]])
    expect(folder.tickets()).toEqual([])
    expect(ended).toMatchObject({ code: 0, error: '' })
    expect(ended.out.match(/^ {2}request /gm)).toHaveLength(1)
    const [, after = ''] = ended.out.split('One call waits for a decision:')
    expect(after).toMatch(/^\n\n {2}approve: fairlead approvals approve approval_\w+\n {2}deny: {4}fairlead \S+ deny /)
  })

  it.each([
    ['0', { columns: 0 }],
    ['unknown', {}],
  ])('a terminal whose width is %s is drawn on as if it had 80 columns', async (_name, size) => {
    const { terminal } = await asked([[question, 'l']], size)
    expect(
      terminal
        .drawn()
        .split('\n')
        .some((line) => line.includes(question)),
    ).toBe(true)
  })

  it('help is as wide as 80 columns where the width is 0', async () => {
    const help = await cliHere(workFolder().path, ['run', '--help'], { terminal: scriptedTerminal([], { columns: 0 }) })
    const wide = await cliHere(workFolder().path, ['run', '--help'], {
      terminal: scriptedTerminal([], { columns: 80 }),
    })
    expect(help.out).toBe(wide.out)
    expect(help.out.length).toBeGreaterThan(500)
  })
})
