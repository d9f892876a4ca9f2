import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '@fairlead/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startProgram } from './start-program.ts'

let folder = ''
const file = (): string => join(folder, 'store.db')
const ledger = (): string => join(folder, 'ledger.txt')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-answers-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function effects(): readonly string[] {
  return existsSync(ledger()) ? readFileSync(ledger(), 'utf8').trim().split('\n') : []
}

type Line = {
  readonly kind: string
  readonly runId?: string
  readonly stopReason?: string
  readonly verdict?: string
  readonly by?: string
  readonly approvals?: readonly { readonly id: string; readonly path: readonly string[]; readonly args: unknown }[]
}

/** One process from its beginning to its end, and the line it printed. */
async function inProcess(...words: readonly string[]): Promise<Line> {
  const program = startProgram('answer-turn', [file(), ledger(), ...words])
  expect(await program.ended).toEqual({ code: 0, signal: null, errors: '' })
  expect(program.lines).toHaveLength(1)
  return program.lines[0] as Line
}

describe('a turn that is asked about in one process', () => {
  it('is approved in a second, refused in part in a third, and goes on in a fourth, each over the file alone', async () => {
    const asked = await inProcess('ask')
    expect(asked).toMatchObject({
      stopReason: 'approval_required',
      approvals: [{ args: { path: 'b' } }, { args: { path: 'c' } }],
    })
    const [b, c] = asked.approvals ?? []
    expect(effects()).toEqual([])

    // The partial answer is recorded at once and survives the process that took it.
    expect(await inProcess('decide', b!.id, 'edit', 'ann')).toMatchObject({ verdict: 'decided', by: 'ann' })
    expect(await inProcess('resume', asked.runId!)).toMatchObject({
      stopReason: 'approval_required',
      approvals: [{ id: c!.id }],
    })
    expect(effects()).toEqual([])
    expect(await inProcess('decide', c!.id, 'no', 'bob')).toMatchObject({ verdict: 'decided', by: 'bob' })
    const inside = await inProcess('resume', asked.runId!)
    expect(effects()).toEqual(['look a', 'wipe edited', 'wipe small'])
    // The next turn hands work to an agent inside, which asks in turn.
    expect(inside).toMatchObject({ stopReason: 'approval_required', approvals: [{ path: ['clean'] }] })
    await inProcess('decide', inside.approvals![0]!.id, 'yes', 'ann')
    expect(await inProcess('resume', asked.runId!)).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(effects()).toEqual(['look a', 'wipe edited', 'wipe small', 'wipe inside'])

    const store = sqliteStore({ file: file() })
    const decided = (await store.approvals.list()).map(({ arguments: { path }, status, decidedBy }) => [
      path,
      status,
      decidedBy,
    ])
    await store.close()
    expect(decided).toEqual(
      expect.arrayContaining([
        ['b', 'approved', 'ann'],
        ['c', 'denied', 'bob'],
        ['small', 'approved', 'auto:autoApprove'],
        ['inside', 'approved', 'ann'],
      ]),
    )
    expect(decided).toHaveLength(4)
  }, 120_000)

  it('is decided by two processes at once: one wins, the other hears who, and it runs as the first said', async () => {
    const asked = await inProcess('ask')
    const [b, c] = asked.approvals ?? []
    const people = ['ann', 'bob'] as const
    const programs = people.map((by, index) =>
      startProgram('answer-turn', [file(), ledger(), 'race', b!.id, index === 0 ? 'yes' : 'no', by]),
    )
    for (const program of programs) await program.printed('ready')
    for (const program of programs) program.write('go\n')
    for (const program of programs) expect(await program.ended).toMatchObject({ code: 0, errors: '' })
    const verdicts = programs.map((program) => program.lines.at(-1))
    const winner = verdicts.findIndex((line) => line?.['verdict'] === 'decided')
    expect(verdicts[winner]).toMatchObject({ by: people[winner] })
    expect(verdicts[1 - winner]).toMatchObject({ verdict: 'already', by: people[winner] })
    await inProcess('decide', c!.id, 'no', 'ann')
    await inProcess('resume', asked.runId!)
    expect(effects()).toEqual(winner === 0 ? ['look a', 'wipe b', 'wipe small'] : ['look a', 'wipe small'])
  }, 120_000)

  it('remembered in one process, the rule answers in the others what waits and what is asked later', async () => {
    const asked = await inProcess('ask')
    const [b] = asked.approvals ?? []
    expect(await inProcess('decide', b!.id, 'remember', 'ann')).toMatchObject({ verdict: 'decided' })
    // C waits already, and the agent inside asks for the same principal: both are covered.
    expect(await inProcess('resume', asked.runId!)).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(effects()).toEqual(['look a', 'wipe b', 'wipe c', 'wipe small', 'wipe inside'])
  }, 120_000)
})
