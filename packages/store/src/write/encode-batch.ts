import { FairleadError } from '@fairlead/runtime/core'
import type { Approval, CallRecord, Json, JournalEntry, RunRecord, StandingRule } from '@fairlead/runtime/core'
import type { Insertable } from 'kysely'
import type {
  ApprovalsTable,
  CallsTable,
  EvidenceTable,
  MessagesTable,
  RunsTable,
  SessionsTable,
  StandingRulesTable,
  TransitionsTable,
} from '../schema/store-tables.ts'

type EntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: Kind }>

/** One write with its expectation, ready for the database. */
export type WriteStep =
  | { readonly kind: 'session-created'; readonly row: Insertable<SessionsTable> }
  | {
      readonly kind: 'messages-added'
      readonly sessionId: string
      readonly expectedCount: number
      readonly rows: readonly Insertable<MessagesTable>[]
    }
  | { readonly kind: 'run-started'; readonly row: Insertable<RunsTable> }
  | {
      readonly kind: 'run-changed'
      readonly id: string
      readonly expectedStatus: RunRecord['status']
      readonly worker: string | null
      readonly status: RunRecord['status']
      readonly record: string
    }
  | EntryOf<'run-claimed'>
  | { readonly kind: 'call-opened'; readonly rows: Insertable<CallsTable>[] }
  | {
      readonly kind: 'call-moved'
      readonly expectedState: string
      readonly expectedTransitions: number
      readonly row: Insertable<CallsTable>
    }
  | { readonly kind: 'approval-requested'; readonly row: Insertable<ApprovalsTable> }
  | {
      readonly kind: 'approval-decided'
      readonly id: string
      readonly status: Approval['status']
      readonly decision: string
    }
  | { readonly kind: 'rule-added'; readonly row: Insertable<StandingRulesTable> }
  | { readonly kind: 'rule-revoked'; readonly id: string; readonly at: number; readonly by: string }
  | { readonly kind: 'evidence-kept'; readonly rows: Insertable<EvidenceTable>[] }

/** A batch as rows. `transitions` have no expectation of their own and are written last, together. */
export type EncodedBatch = {
  readonly steps: readonly WriteStep[]
  readonly transitions: readonly Insertable<TransitionsTable>[]
}

/**
 * Turns a batch into rows, so that what is written is what was given at the time of the call.
 * Throws `INVALID_OPTION` for a value JSON cannot carry.
 */
export function encodeBatch(batch: readonly JournalEntry[]): EncodedBatch {
  const steps: WriteStep[] = []
  const transitions: Insertable<TransitionsTable>[] = []
  let evidence: Extract<WriteStep, { readonly kind: 'evidence-kept' }> | undefined
  for (const entry of batch) {
    switch (entry.kind) {
      case 'session-created':
        steps.push({ kind: entry.kind, row: { id: entry.sessionId, created_at: entry.at, message_count: 0 } })
        break
      case 'messages-added':
        steps.push(messagesStep(entry))
        break
      case 'run-started':
        steps.push({ kind: entry.kind, row: runRow(entry.run) })
        evidence = undefined
        break
      case 'run-changed':
        steps.push({
          kind: entry.kind,
          id: entry.run.id,
          expectedStatus: entry.expectedStatus,
          worker: entry.worker,
          status: entry.run.status,
          record: runJson(entry.run),
        })
        break
      case 'run-claimed':
        steps.push(entry)
        break
      case 'call-opened':
        openCall(steps, entry.call)
        transitions.push(...transitionRows(entry.call, 0))
        break
      case 'call-moved': {
        const expectedTransitions = entry.call.transitions.length - entry.newTransitions
        const row = callRow(entry.call)
        steps.push({ kind: entry.kind, expectedState: entry.expectedState, expectedTransitions, row })
        transitions.push(...transitionRows(entry.call, expectedTransitions))
        break
      }
      case 'approval-requested':
        steps.push({ kind: entry.kind, row: approvalRow(entry.approval) })
        break
      case 'approval-decided': {
        const decision = decisionJson({
          decidedBy: entry.by,
          decidedAt: entry.at,
          reason: entry.reason,
          edited: entry.edit ?? null,
        })
        steps.push({ kind: entry.kind, id: entry.id, status: entry.status, decision })
        break
      }
      case 'rule-added':
        steps.push({ kind: entry.kind, row: ruleRow(entry.rule) })
        break
      case 'rule-revoked':
        steps.push({ kind: entry.kind, id: entry.id, at: entry.at, by: jsonText(entry.by) })
        break
      case 'evidence-kept':
        // One statement for all of them, except where one replaces another or its run begins in between.
        if (evidence === undefined || evidence.rows.some((row) => row.uri === entry.uri)) {
          evidence = { kind: entry.kind, rows: [] }
          steps.push(evidence)
        }
        evidence.rows.push(evidenceRow(entry))
        break
      default:
        return entry satisfies never
    }
  }
  return { steps, transitions }
}

/** Calls opened one after another, as a turn with many calls does, go into one statement. */
function openCall(steps: WriteStep[], call: CallRecord): void {
  const previous = steps.at(-1)
  if (previous?.kind === 'call-opened') previous.rows.push(callRow(call))
  else steps.push({ kind: 'call-opened', rows: [callRow(call)] })
}

function messagesStep(entry: EntryOf<'messages-added'>): WriteStep {
  const { sessionId, expectedCount } = entry
  const rows = entry.messages.map((message, index) => ({
    session_id: sessionId,
    position: expectedCount + index,
    run_id: entry.runId,
    message: jsonText(message),
    at: entry.at,
  }))
  return { kind: entry.kind, sessionId, expectedCount, rows }
}

function runRow(run: RunRecord): Insertable<RunsTable> {
  return {
    id: run.id,
    session_id: run.sessionId,
    started_at: run.startedAt,
    status: run.status,
    lease_worker: run.lease?.worker ?? null,
    lease_until: run.lease?.until ?? null,
    record: runJson(run),
  }
}

function runJson(run: RunRecord): string {
  return jsonText({ ...run, lease: null })
}

function callRow(call: CallRecord): Insertable<CallsTable> {
  return {
    id: call.id,
    run_id: call.runId,
    turn: call.turn,
    call_index: call.index,
    state: call.state,
    transition_count: call.transitions.length,
    record: jsonText({ ...call, transitions: [] }),
  }
}

function transitionRows(call: CallRecord, from: number): Insertable<TransitionsTable>[] {
  return call.transitions.slice(Math.max(0, from)).map((transition, index) => ({
    call_id: call.id,
    position: from + index,
    state: transition.state,
    at: transition.at,
    detail: jsonText(transition.detail),
  }))
}

function approvalRow(approval: Approval): Insertable<ApprovalsTable> {
  return {
    id: approval.id,
    run_id: approval.runId,
    created_at: approval.createdAt,
    record: jsonText(approval),
    status: approval.status,
    decision: decisionJson(approval),
  }
}

/** JSON, because a reason is written by people: a plain column could not hold every text. */
function decisionJson(decision: Pick<Approval, 'decidedBy' | 'decidedAt' | 'reason' | 'edited'>): string {
  const { decidedBy, decidedAt, reason, edited } = decision
  return jsonText({ decidedBy, decidedAt, reason, edited })
}

function ruleRow(rule: StandingRule): Insertable<StandingRulesTable> {
  return {
    id: rule.id,
    tool: rule.tool,
    record: jsonText({ ...rule, revokedAt: null, revokedBy: null }),
    revoked_at: rule.revokedAt,
    // JSON for the reason a decision is.
    revoked_by: rule.revokedBy === null ? null : jsonText(rule.revokedBy),
  }
}

function evidenceRow(entry: EntryOf<'evidence-kept'>): Insertable<EvidenceTable> {
  return { uri: entry.uri, run_id: entry.runId, call_id: entry.callId, value: jsonText(entry.value), at: entry.at }
}

/** JSON text is safe for a text column: it escapes U+0000 and lone surrogates. */
function jsonText(value: Json | object): string {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) {
    throw new FairleadError('INVALID_OPTION', `A journal entry holds a ${typeof value} where JSON is expected.`)
  }
  return text
}
