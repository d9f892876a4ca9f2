import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cliHere, type Ended } from './cli-here.ts'
import { scriptedTerminal, type Keys } from './scripted-terminal.ts'
import { workFolder, type WorkFolder } from './work-folder.ts'

const notice = 'Run post_notice with these arguments?'
const paper = 'Run burn_paper with these arguments?'
const line = 'Arguments as JSON. Enter approves the call with them, Escape goes back.'
/** Takes out what stands on the line. */
const clear = '\u0015'

type Item = { readonly status: string; readonly arguments: { readonly text: string }; readonly edited: unknown }

type Asked = {
  readonly ended: Ended
  readonly drawn: string
  readonly folder: WorkFolder
  readonly requests: () => Promise<readonly Item[]>
  readonly rules: () => Promise<readonly { readonly arguments: unknown }[]>
}

async function asked(prompt: string, script: readonly Keys[]): Promise<Asked> {
  const folder = workFolder('office')
  const terminal = scriptedTerminal(script)
  const ended = await cliHere(folder.path, ['run', prompt], { terminal })
  expect(terminal.unasked()).toBe(0)
  const items = async (...list: readonly string[]): Promise<readonly unknown[]> => {
    const { out } = await cliHere(folder.path, ['approvals', ...list, '--json'])
    return (JSON.parse(out) as { readonly items: readonly unknown[] }).items
  }
  return {
    ended: { ...ended, out: stripVTControlCharacters(ended.out) },
    drawn: terminal.drawn(),
    folder,
    requests: async () => (await items('list', '--status', 'all')) as readonly Item[],
    rules: async () => (await items('rules', 'list')) as readonly { readonly arguments: unknown }[],
  }
}

describe('the card on a terminal', () => {
  it('tells what the contract declares, what a dry run says, and who asks why', async () => {
    const { ended, folder } = await asked('post_notice hello', [[notice, 's']])
    const [, card = ''] = /\? post_notice version 1\n((?: {2}.*\n)+)/.exec(ended.out) ?? []
    expect(card.split('\n').map((row) => row.replace(/(approval)_\w+|\d{4}-\S+Z/, '$1').trimEnd())).toEqual([
      '  request      approval',
      '  status       pending, expires  (in 24 h)',
      '  owner        front desk',
      '  effects      write, risk medium, reversible: no',
      '  impact       Everybody reads it.',
      '  dry run      Would post:',
      '               "hello"',
      "  required by  the tool's contract",
      '  arguments',
      '    text       hello',
      '',
    ])
    expect(folder.tickets()).toEqual([])
  })

  it('says where the contract is silent, and that a dry run failed', async () => {
    const { ended, drawn } = await asked('burn_paper news', [[paper, 's']])
    expect(ended.out).toMatch(/^ {2}owner +not declared$/m)
    expect(ended.out).toMatch(/^ {2}effects +not declared, risk high, reversible: not declared$/m)
    expect(ended.out).toMatch(/^ {2}impact +not declared$/m)
    expect(ended.out).toMatch(/^ {2}dry run +failed, so what the call would do is not known: the stove is cold$/m)
    // Its tool does not allow it.
    expect(drawn).not.toContain('(e)')
  })

  it('says the way of a request of an agent inside a call, and runs no dry run for it', async () => {
    const { ended, folder } = await asked('delegate post_notice inside', [[notice, 'a']])
    expect(ended.out).toMatch(/^ {2}through +delegate$/m)
    expect(ended.out).not.toContain('dry run')
    expect(folder.tickets()).toEqual(['inside'])
    expect(ended.out).toContain('It came to success.')
  })

  it('spells every choice out in words', async () => {
    const { drawn } = await asked('post_notice hello', [[notice, 's']])
    for (const choice of [
      'Skip for now (s)',
      'Approve (a or y)',
      'Always approve post_notice in this conversation (t)',
      'Always approve it with these arguments in this conversation (g)',
      'Edit the arguments, then approve (e)',
      'Deny, with a reason (d or n)',
    ]) {
      expect(drawn).toContain(choice)
    }
  })
})

describe('a key on a terminal', () => {
  it('t approves this tool in this conversation: the next call does not ask', async () => {
    const { ended, folder, rules } = await asked('post_notice one; post_notice two', [[notice, 't']])
    expect(ended.code).toBe(0)
    expect(ended.error).toMatch(
      /^Approved from now on: any call of post_notice in this conversation\. To end that: \S+/,
    )
    expect(await rules()).toMatchObject([{ arguments: null }])
    expect(folder.tickets()).toEqual(['one', 'two'])
  })

  it('g approves these arguments alone', async () => {
    const { folder, rules } = await asked('post_notice one; post_notice two; post_notice one', [
      [notice, 'g'],
      [notice, 's'],
    ])
    expect(await rules()).toMatchObject([{ arguments: { text: 'one' } }])
    expect(folder.tickets()).toEqual([])
  })

  it('e edits the arguments; what is no JSON or does not fit is said and asked for again', async () => {
    const { ended, drawn, folder, requests } = await asked('post_notice hello', [
      [notice, 'e'],
      [line, `${clear}{"text": \r`],
      ['That is no JSON', `${clear}[]\r`],
      ['Expected a JSON object', `${clear}{"text": 7}\r`],
      [line, `${clear}{"text": "good bye"}\r`],
    ])
    expect(drawn).toContain('{"text":"hello"}')
    expect(ended.out).toMatch(/^Nothing was recorded: the arguments do not fit the tool: text: .*\.$/m)
    expect(folder.tickets()).toEqual(['good bye'])
    expect(await requests()).toMatchObject([
      { status: 'approved', arguments: { text: 'hello' }, edited: { text: 'good bye' } },
    ])
  })

  it('Escape in the line goes back to the choice', async () => {
    const { folder, requests } = await asked('post_notice hello', [
      [notice, 'e'],
      [line, '\u001b'],
      [notice, 'a'],
    ])
    expect(folder.tickets()).toEqual(['hello'])
    expect(await requests()).toMatchObject([{ status: 'approved', edited: null }])
  })

  it.each([
    ['Ctrl-C', '\u0003'],
    ['the end of the input', null],
  ])('%s in the line leaves the request pending and says how to go on', async (_name, keys) => {
    const { ended, folder, requests } = await asked('post_notice hello', [
      [notice, 'e'],
      [line, keys],
    ])
    expect(ended.code).toBe(0)
    expect(ended.out).toContain('fairlead approvals approve approval_')
    expect(await requests()).toMatchObject([{ status: 'pending' }])
    expect(folder.tickets()).toEqual([])
  })

  it('s skips to the next request', async () => {
    const { ended, requests } = await asked('post_notice one; burn_paper two', [
      [notice, 's'],
      [paper, 'a'],
    ])
    expect((await requests()).map(({ status }) => status)).toEqual(['pending', 'approved'])
    expect(ended.out).toContain('One call waits for a decision:')
  })

  it('Ctrl-C leaves all of them pending', async () => {
    const { ended, requests } = await asked('post_notice one; burn_paper two', [[notice, '\u0003']])
    expect((await requests()).map(({ status }) => status)).toEqual(['pending', 'pending'])
    expect(ended.out.match(/fairlead approvals approve approval_/g)).toHaveLength(2)
  })
})

it('only what needs a person is asked about, of a turn with other calls', async () => {
  const { ended, requests } = await asked('look_up a; post_notice one; look_up b', [[notice, 's']])
  expect(await requests()).toMatchObject([{ arguments: { text: 'one' } }])
  expect(ended.out).toContain('One call waits for a decision:')
})
