import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callIdOf, callStates, FairleadError, memoryStore, userMessage } from '@fairlead/runtime/core'
import type { CallState, JournalEntry, RunRecord, Store } from '@fairlead/runtime/core'
import { beginEntries, moveEntry, sampleApproval, sampleCall, sampleRule, sampleRun } from '@fairlead/runtime/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sqliteStore } from './sqlite-store.ts'

/** One entry in the making: which thing it concerns, and whether its expectation is read from the store or guessed. */
type Plan = {
  readonly kind: JournalEntry['kind']
  readonly thing: number
  readonly guess: number
  readonly informed: boolean
  readonly state: CallState
  readonly text: string
}

const kinds: readonly JournalEntry['kind'][] = [
  'session-created',
  'messages-added',
  'run-started',
  'run-changed',
  'run-claimed',
  'call-opened',
  'call-moved',
  'approval-requested',
  'approval-decided',
  'rule-added',
  'rule-revoked',
  'evidence-kept',
]
const statuses = ['running', 'suspended', 'ended'] as const
const leases: readonly RunRecord['lease'][] = [null, { worker: 'worker_a', until: 1 }, { worker: 'worker_a', until: 2 }]

const plan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constantFrom(...kinds),
  thing: fc.integer({ min: 0, max: 1 }),
  guess: fc.integer({ min: 0, max: 2 }),
  informed: fc.boolean(),
  state: fc.constantFrom(...callStates),
  text: fc.string({ unit: 'binary', maxLength: 8 }),
})

async function entryFrom({ kind, thing, guess, informed, state, text }: Plan, store: Store): Promise<JournalEntry> {
  const sessionId = `session_${thing}`
  const runId = `run_${thing}`
  const callId = callIdOf(runId, 1, guess)
  const approvalId = `approval_${thing}`
  const ruleId = `rule_${thing}`
  const run = informed ? await store.journal.run(runId) : undefined
  switch (kind) {
    case 'session-created':
      return { kind, sessionId, at: guess }
    case 'messages-added': {
      const session = informed ? await store.sessions.get(sessionId) : undefined
      const messages = Array.from({ length: guess }, () => userMessage(text))
      return { kind, sessionId, runId, expectedCount: session?.messages.length ?? guess, messages, at: guess }
    }
    case 'run-started':
      return {
        kind,
        run: sampleRun({ id: runId, sessionId, startedAt: 5, lease: leases[guess] ?? null, agent: text }),
      }
    case 'run-changed': {
      const status = statuses[guess] ?? 'ended'
      const changed = sampleRun({ ...run, id: runId, sessionId, startedAt: 5, status, error: text })
      return { kind, expectedStatus: run?.status ?? status, worker: run?.lease?.worker ?? null, run: changed }
    }
    case 'run-claimed':
      return { kind, runId, expectedLease: run?.lease ?? leases[guess] ?? null, lease: leases[(guess + 1) % 3] ?? null }
    case 'call-opened':
      return { kind, call: sampleCall({ runId, index: guess, rawArguments: text }) }
    case 'call-moved': {
      const calls = informed ? await store.journal.calls(runId) : []
      return moveEntry(calls[guess] ?? sampleCall({ runId, index: guess }), state)
    }
    case 'approval-requested':
      return { kind, approval: sampleApproval({ id: approvalId, runId, createdAt: guess, modelReason: text }) }
    case 'approval-decided':
      return {
        kind,
        id: approvalId,
        status: 'denied',
        by: `person ${guess}`,
        reason: null,
        at: guess,
        ...(informed ? { edit: guess === 0 ? null : { arguments: { [text]: text }, digest: text } } : {}),
      }
    case 'rule-added':
      return {
        kind,
        rule: sampleRule({
          id: ruleId,
          tool: `tool_${guess}`,
          createdAt: guess,
          arguments: { [text]: text },
          owner: text,
        }),
      }
    case 'rule-revoked':
      return { kind, id: ruleId, by: text, at: guess }
    case 'evidence-kept':
      return { kind, uri: `evidence://${guess}`, runId, callId, value: { [text]: text }, at: guess }
    default:
      return kind satisfies never
  }
}

/** Something to work on, so that most scripts get beyond refusals. */
const groundwork: readonly JournalEntry[] = [
  ...beginEntries(sampleRun({ id: 'run_0', sessionId: 'session_0', startedAt: 5 })),
  { kind: 'call-opened', call: sampleCall({ runId: 'run_0', index: 0 }) },
  { kind: 'call-opened', call: sampleCall({ runId: 'run_0', index: 1 }) },
  { kind: 'approval-requested', approval: sampleApproval({ id: 'approval_0', runId: 'run_0', createdAt: 1 }) },
  { kind: 'rule-added', rule: sampleRule({ id: 'rule_0', createdAt: 1 }) },
]

/** Writes the batches without waiting in between and tells what became of each. */
async function fatesOf(store: Store, batches: readonly (readonly JournalEntry[])[]): Promise<readonly string[]> {
  const outcomes = await Promise.allSettled(batches.map((batch) => store.journal.append(batch)))
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'written'
    return outcome.reason instanceof FairleadError ? outcome.reason.code : String(outcome.reason)
  })
}

async function contentsOf(store: Store): Promise<unknown> {
  const things = [0, 1]
  return {
    runs: await store.journal.runs(),
    byName: await Promise.all(things.map((thing) => store.journal.run(`run_${thing}`))),
    calls: await Promise.all(things.map((thing) => store.journal.calls(`run_${thing}`))),
    sessions: await Promise.all(things.map((thing) => store.sessions.get(`session_${thing}`))),
    approvals: await store.approvals.list(),
    inState: await Promise.all(
      callStates.map((state) => store.journal.callsInState([state, 'Requested'], 1 + (state.length % 3))),
    ),
    inAnyState: await store.journal.callsInState(callStates),
    rules: await store.rules.list(),
    rulesOfTool: await store.rules.list({ tool: 'tool_1' }),
    ruleByName: await Promise.all(things.map((thing) => store.rules.get(`rule_${thing}`))),
    pending: await store.approvals.list({ status: 'pending', runId: 'run_1' }),
    evidence: await Promise.all([0, 1, 2].map((guess) => store.evidence.get(`evidence://${guess}`))),
  }
}

it(
  'decides and remembers like the in-memory store, whatever is written and however it is joined',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-same-'))
    let files = 0
    const seen = { written: 0, JOURNAL_CONFLICT: 0 }
    const script = fc.array(fc.array(fc.array(plan, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }), {
      minLength: 4,
      maxLength: 25,
    })
    try {
      await fc.assert(
        fc.asyncProperty(script, async (groups) => {
          const memory = memoryStore({ keepRuns: 1000 })
          const sqlite = sqliteStore({ file: join(folder, `${files++}.db`) })
          await Promise.all([memory, sqlite].map((store) => store.journal.append(groundwork)))
          for (const group of groups) {
            const batches: (readonly JournalEntry[])[] = []
            for (const plans of group) {
              batches.push(await Promise.all(plans.map((one) => entryFrom(one, memory))))
            }
            const fates = await fatesOf(memory, batches)
            expect(await fatesOf(sqlite, batches)).toEqual(fates)
            expect(await contentsOf(sqlite)).toEqual(await contentsOf(memory))
            for (const fate of fates) if (fate === 'written' || fate === 'JOURNAL_CONFLICT') seen[fate]++
          }
          await sqlite.close()
        }),
        { numRuns: 100 },
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    expect(seen.written).toBeGreaterThan(300)
    expect(seen.JOURNAL_CONFLICT).toBeGreaterThan(500)
  },
)
