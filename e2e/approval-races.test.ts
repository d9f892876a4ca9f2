import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decideApproval, systemClock } from '@fairlead/runtime'
import { sqliteStore } from '@fairlead/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ticketAgent } from './programs/ticket-desk.ts'
import { startProgram, type Program } from './start-program.ts'

let folder = ''
const file = (): string => join(folder, 'store.db')
const ledger = (): string => join(folder, 'ledger.txt')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-e2e-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function effects(): readonly string[] {
  return existsSync(ledger()) ? readFileSync(ledger(), 'utf8').trim().split('\n') : []
}

async function startRun(toolClass: string): Promise<string> {
  const store = sqliteStore({ file: file() })
  const result = await ticketAgent({ store, ledger: ledger(), toolClass, mode: 'start' }).run('The service is slow.')
  await store.close()
  expect(result.stopReason).toBe('approval_required')
  return result.runId
}

function decide(runId: string, toolClass: string, killPoint = 'none'): Program {
  return startProgram('ticket-agent', [file(), ledger(), toolClass, runId, killPoint])
}

describe('one request, two processes', () => {
  it('approving the same request in two processes at once creates one ticket and the second is refused', async () => {
    const runId = await startRun('nonIdempotent')
    const programs = [decide(runId, 'nonIdempotent'), decide(runId, 'nonIdempotent')]
    for (const program of programs) await program.printed('ready')
    for (const program of programs) program.write('go\n')
    for (const program of programs) expect(await program.ended).toEqual({ code: 0, signal: null, errors: '' })
    const answers = programs.map((program) => program.lines.at(-1))
    expect(answers.filter((answer) => answer?.kind === 'stopped')).toMatchObject([{ stopReason: 'answered' }])
    expect(answers.filter((answer) => answer?.kind === 'refused')).toMatchObject([{ verdict: 'already' }])
    expect(effects()).toHaveLength(1)
  })
})

// The writes: the decision, the claim on the run, its record, the intents, the outcomes, the end.
const killPoints = [
  'before-write-1',
  'after-write-1',
  'before-write-2',
  'after-write-2',
  'before-write-3',
  'after-write-3',
  'before-write-4',
  'after-write-4',
  'before-effect',
  'after-effect',
  'before-write-5',
  'after-write-5',
  'before-write-6',
  'after-write-6',
]

describe('killed between the writes of approve, claim, effect and settle, then resumed', () => {
  it.each(killPoints)('at %s an idempotent tool makes exactly one ticket and no approval is lost', async (point) => {
    await killAndResume('idempotencyKey', point, 'answered')
    expect(effects()).toHaveLength(1)
  })

  it.each(killPoints)('at %s a non-idempotent tool makes at most one ticket, and asks when in doubt', async (point) => {
    const inDoubt = ['after-write-4', 'before-effect', 'after-effect', 'before-write-5'].includes(point)
    await killAndResume('nonIdempotent', point, inDoubt ? 'in_doubt' : 'answered')
    expect(effects().length).toBeLessThanOrEqual(1)
    if (!inDoubt) expect(effects()).toHaveLength(1)
  })
})

/** Kills the deciding process at a point, then lets others decide (if nothing was decided yet) and resume. */
async function killAndResume(toolClass: string, point: string, expected: string): Promise<void> {
  const runId = await startRun(toolClass)
  const killed = decide(runId, toolClass, point)
  await killed.printed('ready')
  killed.write('go\n')
  expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })

  // Another process takes over: this one. The claim of the killed one is surely gone.
  const store = sqliteStore({ file: file() })
  const [approval] = await store.approvals.list({ runId })
  const run = await store.journal.run(runId)
  // The decision is either surely made or surely still open; it is never gone.
  expect(approval?.status).toBe(point === 'before-write-1' ? 'pending' : 'approved')
  if (run?.status === 'ended') {
    expect([point, run.stopReason]).toEqual(['after-write-6', expected])
  } else {
    const agent = ticketAgent({ store, ledger: ledger(), toolClass, mode: 'resume' })
    if (approval?.status === 'pending') {
      await decideApproval(store, { id: approval.id, approved: true, by: 'another' }, { clock: systemClock })
    }
    expect((await agent.resume(runId).result).stopReason).toBe(expected)
  }
  await store.close()
}
