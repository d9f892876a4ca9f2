import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { callStates } from '@fairlead/runtime/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliHere, type Ended } from './cli-here.ts'
import { cliProcess } from './cli-process.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { untilExists } from './until-exists.ts'
import { workFolder } from './work-folder.ts'

/** A folder whose store holds a run that was killed in the middle of a call; made once, copied for each case. */
let lost: string
let runId: string
let callId: string

type Case = {
  readonly path: string
  readonly cli: (...words: readonly string[]) => Promise<Ended>
  readonly document: (...words: readonly string[]) => Promise<unknown>
  /** What the tool did, over all processes. */
  readonly moved: () => readonly string[]
}

function caseIn(path: string): Case {
  const store = join(path, '.fairlead', 'fairlead.db')
  const cli = (...words: readonly string[]): Promise<Ended> =>
    cliHere(path, words, { variables: { FAIRLEAD_STORE: store } })
  const document = async (...words: readonly string[]): Promise<unknown> => {
    const ended = await cli(...words, '--json')
    expect(ended).toMatchObject({ code: 0 })
    return JSON.parse(ended.out) as unknown
  }
  const file = join(path, '.fairlead', 'tickets.txt')
  return {
    path,
    cli,
    document,
    moved: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
  }
}

/** A copy of the killed run's folder; the run was taken up again once, so that its call is known to be in doubt. */
function inDoubt(): Case {
  const path = temporaryFolder()
  cpSync(lost, path, { recursive: true })
  return caseIn(path)
}

beforeAll(async () => {
  lost = mkdtempSync(join(tmpdir(), 'fairlead-lost-'))
  const config = new URL('./fixtures/office.config.ts', import.meta.url)
  cpSync(config, join(lost, 'fairlead.config.ts'))
  const moving = join(lost, '.fairlead', 'moving.txt')
  const begun = untilExists(moving)
  writeFileSync(join(dirname(moving), 'slow'), '')
  const { child, ended } = cliProcess(lost, ['run', 'move_crate red'])
  await Promise.race([begun, ended])
  child.kill('SIGKILL')
  await ended
  rmSync(join(dirname(moving), 'slow'))
  const here = caseIn(lost)
  const { items } = (await here.document('calls', 'list')) as {
    readonly items: readonly { readonly id: string; readonly runId: string }[]
  }
  expect(items).toMatchObject([{ tool: 'move_crate', state: 'Executing', because: null }])
  callId = items[0]?.id ?? 'none'
  runId = items[0]?.runId ?? 'none'
  const early = await here.cli('calls', 'resolve', callId, '--done')
  expect(early).toMatchObject({ code: 1, out: '' })
  expect(early.error).toContain(`not in doubt: it is Executing. Nothing was recorded. Its process ended;`)
  expect(early.error).toContain(`fairlead resume ${runId}`)
  expect(await here.cli('resume', runId)).toMatchObject({ code: 1 })
}, 120_000)

afterAll(() => {
  rmSync(lost, { recursive: true, force: true })
})

describe('a run in doubt', () => {
  it.each([
    ['resume', () => ['resume', runId], 1],
    ['trace show', () => ['trace', 'show', runId], 0],
    ['calls list', () => ['calls', 'list'], 0],
  ] as const)('%s says how to settle its call', async (_name, words, code) => {
    const ended = await inDoubt().cli(...words())
    expect(ended.code).toBe(code)
    for (const how of ['--done', '--not-done', '--retry']) {
      expect(ended.out).toContain(`fairlead calls resolve ${callId} ${how}`)
    }
  })

  it('approvals list points to it, beside its list', async () => {
    const ended = await inDoubt().cli('approvals', 'list')
    expect(ended).toMatchObject({ code: 0, out: 'There are no pending approval requests.\n' })
    expect(ended.error).toContain(`fairlead calls resolve ${callId} --done`)
    expect((await inDoubt().cli('approvals', 'list', '--quiet')).error).toBe('')
  })

  it('its call is listed by its state, with what was lost', async () => {
    const { document, cli } = inDoubt()
    const items = [
      {
        id: callId,
        runId,
        tool: 'move_crate',
        state: 'Unknown',
        arguments: { text: 'red' },
        isAnswered: false,
        because: 'the process was lost while the call was under way',
      },
    ]
    expect(await document('calls', 'list')).toMatchObject({ items })
    expect(await document('calls', 'list', '--state', 'Observed', 'Unknown')).toMatchObject({ items })
    expect(await document('calls', 'list', '--state', 'NeedsApproval')).toEqual({ items: [] })
    expect(await cli('calls', 'list', '--state', 'Lost')).toMatchObject({
      code: 2,
      error: expect.stringContaining(`Allowed choices are ${callStates.join(', ')}`),
    })
  })
})

describe('calls resolve', () => {
  it('--done keeps what came of it, tells the model, repeats nothing, and counts once', async () => {
    const { cli, document, moved } = inDoubt()
    const words = ['--done', '--result', '{"moved": true}', '--by', 'bob', '--reason', 'seen on the ramp']
    expect(await document('calls', 'resolve', callId, ...words)).toMatchObject({
      runId,
      stopReason: 'answered',
      text: 'It came to success.',
      callsInDoubt: [],
    })
    expect(moved()).toEqual(['{"moved":"red"}'])
    expect(await document('evidence', 'show', `evidence://${runId}/${callId}`)).toMatchObject({
      value: { moved: true },
    })
    expect(JSON.stringify(await document('trace', 'show', runId))).toContain('seen on the ramp')
    const again = await cli('calls', 'resolve', callId, '--not-done')
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.error).toBe(`fairlead: Call ${callId} is not in doubt: it is Succeeded. Nothing was recorded.\n`)
    expect((await cli('calls', 'list')).out).toBe('No call is open.\n')
  })

  it('--not-done tells the model that it may try again', async () => {
    const { cli, moved } = inDoubt()
    const ended = await cli('calls', 'resolve', callId, '--not-done')
    expect(ended).toMatchObject({ code: 0, error: '', out: expect.stringContaining('It came to CANCELLED.') })
    expect(moved()).toEqual(['{"moved":"red"}'])
  })

  it('--retry carries it out once more', async () => {
    const { document, moved } = inDoubt()
    expect(await document('calls', 'resolve', callId, '--retry')).toMatchObject({ text: 'It came to success.' })
    expect(moved()).toEqual(['{"moved":"red"}', '{"moved":"red"}'])
  })

  it('without a configuration records what needs no tool, and says how to go on', async () => {
    const { cli, path, document, moved } = inDoubt()
    // Found again by the path that the run remembers.
    renameSync(join(lost, 'fairlead.config.ts'), join(lost, 'away.ts'))
    try {
      const retry = await cli('calls', 'resolve', callId, '--retry')
      expect(retry).toMatchObject({ code: 2, out: '', error: expect.stringContaining('Nothing was recorded') })
      const done = await cli('calls', 'resolve', callId, '--done')
      expect(done).toMatchObject({ code: 0, error: '' })
      expect(done.out).toMatch(/^The finding is recorded\. The run did not go on: /)
      expect(done.out).toContain(`fairlead resume ${runId} --config FILE`)
    } finally {
      renameSync(join(lost, 'away.ts'), join(lost, 'fairlead.config.ts'))
    }
    const config = join(path, 'fairlead.config.ts')
    expect(await document('resume', runId, '--config', config)).toMatchObject({ text: 'It came to success.' })
    expect(moved()).toEqual(['{"moved":"red"}'])
  })

  it('of a call the model has an answer to already is a note, and no repetition', async () => {
    const { path } = workFolder('office')
    const { cli, document } = caseIn(path)
    const run = (await document('run', 'slow_crate blue')) as {
      readonly callsInDoubt: readonly { readonly callId: string }[]
    }
    expect(run).toMatchObject({ stopReason: 'answered', text: 'It came to IN_DOUBT.' })
    const [late] = run.callsInDoubt
    const id = late?.callId ?? 'none'
    expect(await document('calls', 'list')).toMatchObject({ items: [{ id, state: 'Unknown', isAnswered: true }] })
    const listed = await cli('calls', 'list')
    expect(listed.out).toContain(`fairlead calls resolve ${id} --done\n`)
    expect(listed.out).not.toContain('--retry')
    // Its run does not wait for it.
    expect((await cli('approvals', 'list')).error).toBe('')
    const retry = await cli('calls', 'resolve', id, '--retry')
    expect(retry).toMatchObject({ code: 1, error: expect.stringMatching(/has an answer .* Nothing was recorded/) })
    const done = await cli('calls', 'resolve', id, '--not-done')
    expect(done).toMatchObject({ code: 0, error: '', out: expect.stringContaining('its conversation has a note') })
    expect((await cli('calls', 'list')).out).toBe('No call is open.\n')
  })

  it.each([
    ['nothing', [], 'exactly one of --done'],
    ['two at once', ['--done', '--retry'], 'exactly one of --done'],
    ['a result of what did not happen', ['--not-done', '--result', '1'], '--result goes with --done'],
    ['a result that is no JSON', ['--done', '--result', '{'], '--result expects JSON'],
    ['an empty name', ['--done', '--by', ''], '--by expects a name'],
    ['an empty reason', ['--done', '--reason', ''], '--reason expects a text'],
  ])('refuses %s with exit code 2', async (_name, words, because) => {
    const ended = await cliHere(lost, ['calls', 'resolve', callId, ...words])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringContaining(because) })
  })

  it('an unknown call says where to look', async () => {
    const ended = await cliHere(lost, ['calls', 'resolve', 'call_x_1_0', '--done'])
    expect(ended).toMatchObject({
      code: 1,
      error: expect.stringMatching(/no call call_x_1_0 .* fairlead calls list\n$/),
    })
    const unnamed = await cliHere(lost, ['calls', 'resolve'])
    expect(unnamed).toMatchObject({ code: 2, error: expect.stringContaining('See: fairlead calls list') })
  })
})
