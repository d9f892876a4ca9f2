import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliHere, type Ended } from './cli-here.ts'
import { workFolder, type WorkFolder } from './work-folder.ts'

type RunDocument = {
  readonly runId: string
  readonly sessionId: string
  readonly stopReason: string
  readonly approvals: readonly { readonly id: string; readonly tool: string; readonly path: readonly string[] }[]
}

type Office = WorkFolder & {
  /** Runs a command line that must give a document. */
  readonly document: (...words: readonly string[]) => Promise<unknown>
  readonly cli: (...words: readonly string[]) => Promise<Ended>
  /** Asks the agent; gives the run and its first request. */
  readonly ask: (prompt: string, ...options: readonly string[]) => Promise<RunDocument & { readonly request: string }>
}

function office(): Office {
  const folder = workFolder('office')
  const cli = (...words: readonly string[]): Promise<Ended> => cliHere(folder.path, words)
  const document = async (...words: readonly string[]): Promise<unknown> => {
    const ended = await cli(...words, '--json')
    expect(ended).toMatchObject({ code: 0 })
    return JSON.parse(ended.out) as unknown
  }
  const ask: Office['ask'] = async (prompt, ...options) => {
    const run = (await document('run', prompt, ...options)) as RunDocument
    return { ...run, request: run.approvals[0]?.id ?? 'none' }
  }
  return { ...folder, cli, document, ask }
}

describe('approvals approve --args', () => {
  it('runs the call with the other arguments and keeps both', async () => {
    const { ask, cli, document, tickets } = office()
    const { request } = await ask('post_notice closed today')
    const ended = await cli('approvals', 'approve', request, '--args', '{"text": "open today"}', '--by', 'bob')
    expect(ended).toMatchObject({ code: 0, error: '' })
    expect(ended.out).toContain('It came to success.')
    expect(tickets()).toEqual(['open today'])
    expect(await document('approvals', 'show', request)).toMatchObject({
      status: 'approved',
      decidedBy: 'bob',
      arguments: { text: 'closed today' },
      edited: { text: 'open today' },
    })
    const shown = await cli('approvals', 'show', request)
    expect(shown.out).toMatch(/^ {2}arguments +- as it was asked, \+ as it was approved$/m)
    expect(shown.out).toMatch(/^ +- {3}"text": "closed today"$/m)
    expect(shown.out).toMatch(/^ +\+ {3}"text": "open today"$/m)
  })

  it.each([
    ['do not fit the schema', 'post_notice a', '{"text": 7, "more": 1}', /do not fit the tool: .*text/],
    ['are too long', 'post_notice a', `{"text": "${'x'.repeat(21)}"}`, /do not fit the tool: text: /],
    ['are no JSON', 'post_notice a', '{', /--args expects JSON/],
    ['are no object', 'post_notice a', '[1]', /--args expects a JSON object/],
    ['may not be changed', 'burn_paper a', '{"text": "b"}', /"burn_paper" may not be changed/],
  ])('that %s: one line, exit code 2, and the request stands', async (_name, prompt, args, because) => {
    const { ask, cli, document, tickets } = office()
    const { request } = await ask(prompt)
    const ended = await cli('approvals', 'approve', request, '--args', args, '--remember', 'tool')
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.error).toMatch(/^fairlead: [^\n]+\n$/)
    expect(ended.error).toMatch(because)
    expect(await document('approvals', 'show', request)).toMatchObject({ status: 'pending', edited: null })
    expect(await document('approvals', 'rules', 'list', '--all')).toEqual({ items: [] })
    expect(tickets()).toEqual([])
  })
})

describe('approvals approve --remember', () => {
  it('tool, for the user: the next run does not ask, until the rule is revoked', async () => {
    const { ask, cli, document, tickets } = office()
    const { request } = await ask('post_notice one')
    const options = ['--remember', 'tool', '--scope', 'user', '--expires', '8h', '--reason', 'trusted']
    const approved = await cli('approvals', 'approve', request, ...options)
    expect(approved.code).toBe(0)
    const [rule = 'none'] = /rule_\w+/.exec(approved.error) ?? []
    expect(approved.error).toMatch(
      /^Approved from now on: any call of post_notice for ann until \S+Z \(in 8 h\)\. To end that: fairlead approvals rules revoke rule_\w+\n$/,
    )
    expect(await ask('post_notice two')).toMatchObject({ stopReason: 'answered' })
    expect(tickets()).toEqual(['one', 'two'])

    const listed = await cli('approvals', 'rules', 'list')
    expect(listed.out).toMatch(/^RULE +TOOL +COUNTS FOR +ASKED BY +MADE BY +STANDS +ARGUMENTS$/m)
    expect(listed.out).toMatch(/^rule_\w+ +post_notice +user ann +contract +ann +until \S+Z \(in 8 h\) +any$/m)
    expect(await document('approvals', 'rules', 'list')).toMatchObject({
      items: [
        { id: rule, status: 'in force', owner: 'front desk', scope: { kind: 'user', id: 'ann' }, arguments: null },
      ],
    })

    expect(await document('approvals', 'rules', 'revoke', rule, '--by', 'bob')).toMatchObject({
      id: rule,
      status: 'revoked',
      revokedBy: 'bob',
    })
    expect((await ask('post_notice three')).approvals).toHaveLength(1)
    expect((await cli('approvals', 'rules', 'list')).out).toContain('every request asks')
    expect((await cli('approvals', 'rules', 'list', '--all')).out).toMatch(/revoked by bob at \S+Z/)
    const again = await cli('approvals', 'rules', 'revoke', rule)
    expect(again).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringMatching(/counts no more already: revoked by bob/),
    })
    const unknown = await cli('approvals', 'rules', 'revoke', 'rule_x')
    expect(unknown).toMatchObject({
      code: 1,
      error: expect.stringMatching(/no standing rule rule_x .*rules list --all/),
    })
  })

  it('a rule whose time is over is listed only with --all', async () => {
    const { ask, cli, path } = office()
    const { request } = await ask('post_notice one')
    await cli('approvals', 'approve', request, '--remember', 'tool', '--expires', '30m')
    const inAnHour = (...words: readonly string[]): Promise<Ended> =>
      cliHere(path, ['approvals', 'rules', 'list', ...words], { hoursLater: 1 })
    expect((await inAnHour()).out).toContain('No standing rule is in force')
    expect((await inAnHour('--all')).out).toMatch(/ conversation session_\w+ .* expired at \S+Z/)
  })

  it('arguments, in this conversation: exactly those are not asked about there again', async () => {
    const { ask, cli, document, tickets } = office()
    const { request, sessionId } = await ask('post_notice one')
    await cli('approvals', 'approve', request, '--args', '{"text": "two"}', '--remember', 'arguments')
    expect(await document('approvals', 'rules', 'list')).toMatchObject({
      items: [{ arguments: { text: 'two' }, scope: { kind: 'session', id: sessionId }, expiresAt: null }],
    })
    expect((await ask('post_notice two')).approvals).toHaveLength(1)
    expect(await ask('post_notice two', '--session', sessionId)).toMatchObject({ stopReason: 'answered' })
    expect((await ask('post_notice one', '--session', sessionId)).approvals).toHaveLength(1)
    expect(tickets()).toEqual(['two', 'two'])
  })

  it.each([
    ['a scope without --remember', ['--scope', 'user'], 'go with --remember'],
    ['a time without --remember', ['--expires', '8h'], 'go with --remember'],
    ['a time nobody can read', ['--remember', 'tool', '--expires', 'soon'], '--expires expects a duration'],
    ['a time that is over', ['--remember', 'tool', '--expires', '2001-01-01T00:00:00Z'], 'a time to come'],
    ['something else to remember', ['--remember', 'all'], 'Allowed choices are tool, arguments'],
    ['an empty reason', ['--reason', ' '], '--reason expects a text'],
  ])('%s is a slip: exit code 2, and nothing is opened', async (_name, options, because) => {
    const { cli } = office()
    const ended = await cli('approvals', 'approve', 'approval_x', ...options)
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringContaining(because) })
  })
})

describe('a request of an agent inside a call', () => {
  it('is shown with the way it came, and approving it goes on with the outermost run', async () => {
    const { ask, cli, document, tickets } = office()
    const outer = await ask('delegate post_notice inside')
    expect(outer.approvals).toMatchObject([{ tool: 'post_notice', path: ['delegate'] }])
    const listed = (await document('approvals', 'list')) as { readonly items: readonly { readonly runId: string }[] }
    expect(listed.items).toMatchObject([{ id: outer.request, path: ['delegate'] }])
    const inner = listed.items[0]?.runId ?? 'none'
    expect(inner).not.toBe(outer.runId)
    expect((await cli('approvals', 'show', outer.request)).out).toMatch(/^ {2}through +delegate$/m)
    expect((await cli('resume', inner)).out).toContain(`fairlead approvals approve ${outer.request}`)

    const approved = await document('approvals', 'approve', outer.request, '--args', '{"text": "within"}')
    expect(approved).toMatchObject({ runId: outer.runId, stopReason: 'answered', text: 'It came to success.' })
    expect(tickets()).toEqual(['within'])
    const late = await cli('approvals', 'deny', outer.request, '--reason', 'late')
    expect(late).toMatchObject({ code: 1, error: expect.stringMatching(/approved by ann at \S+\.\n$/) })
  })
})

it('nothing is approved where the configuration is gone', async () => {
  const { ask, cli, document, path } = office()
  const { request } = await ask('post_notice one')
  writeFileSync(join(path, 'broken.ts'), 'export default {')
  const ended = await cli('approvals', 'approve', request, '--args', '{"text": "b"}', '--config', 'broken.ts')
  expect(ended).toMatchObject({ code: 2, error: expect.stringContaining('Nothing was recorded') })
  expect(await document('approvals', 'show', request)).toMatchObject({ status: 'pending' })
})
