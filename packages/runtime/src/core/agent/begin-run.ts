import { FairleadError } from '../fairlead-error.ts'
import { frozenPrincipal } from './frozen-principal.ts'
import type { Message } from '../content/message.ts'
import { keepsRunOpen } from '../loop/stop-reason.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { RunOptions } from './agent-options.ts'
import type { AgentPorts } from './default-ports.ts'

/** A run that is about to begin: nothing of it is written yet. */
export type BegunRun = {
  readonly run: RunRecord
  readonly worker: string
  readonly stored: readonly Message[]
  readonly opening: readonly JournalEntry[]
  /** Earlier runs of the conversation, newest first. */
  readonly earlier: readonly RunRecord[]
}

/** Makes the record of a new run. Rejects with `RUN_BUSY` when its conversation has an unfinished one. */
export async function beginRun(
  ports: AgentPorts,
  subject: {
    readonly agent: string
    readonly kind: RunRecord['kind']
    readonly parent: RunRecord['parent']
    readonly showsWholeBatch: boolean
    readonly guards: RunRecord['guards']
  },
  options: RunOptions,
): Promise<BegunRun> {
  const { store, stages, workers, leaseMs } = ports
  const { ids, clock } = stages
  const sessionId = options.session?.id ?? ids.next('session')
  const known = options.session === undefined ? undefined : await store.sessions.get(sessionId)
  const earlier = known === undefined ? [] : await store.journal.runs({ sessionId })
  requireIdle(sessionId, earlier[0])
  const worker = workers.identity(ids.next('worker'))
  const at = clock.now()
  const stored = known?.messages ?? []
  const run: RunRecord = {
    id: ids.next('run'),
    traceId: ids.next('trace'),
    sessionId,
    agent: subject.agent,
    kind: subject.kind,
    principal: options.principal === undefined ? ports.principal : frozenPrincipal(options.principal),
    environment: options.environment ?? ports.environment,
    startedWith: options.startedWith ?? null,
    parent: subject.parent,
    showsWholeBatch: subject.showsWholeBatch,
    guards: subject.guards,
    startedAt: at,
    endedAt: null,
    status: 'running',
    stopReason: null,
    firstMessage: stored.length,
    turns: 0,
    calls: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    usageKnown: true,
    costUsd: 0,
    workedMs: 0,
    conversationId: earlier[0]?.conversationId ?? null,
    ignoredParts: 0,
    error: null,
    lease: { worker, until: at + leaseMs },
  }
  const started: JournalEntry = { kind: 'run-started', run }
  const opening: readonly JournalEntry[] =
    known === undefined
      ? [
          {
            kind: 'session-created',
            sessionId,
            at,
            anonymous: options.session === undefined || subject.parent !== null,
          },
          started,
        ]
      : [started]
  return { run, worker, stored, opening, earlier }
}

/** One conversation takes one run at a time: a second one would tear its messages apart. */
function requireIdle(sessionId: string, latest: RunRecord | undefined): void {
  if (latest === undefined || latest.status === 'ended') return
  const waits = latest.stopReason !== null && keepsRunOpen(latest.stopReason)
  throw new FairleadError(
    'RUN_BUSY',
    waits
      ? `Conversation ${sessionId} waits for an answer (run ${latest.id}, ${latest.stopReason}). Answer it first, or start another conversation.`
      : `Conversation ${sessionId} has an unfinished run (${latest.id}). Wait for it, or resume it if its process died.`,
  )
}

/** Everything of the conversation's other runs, newest first. */
export async function earlierRuns(store: Store, run: RunRecord): Promise<readonly RunRecord[]> {
  return (await store.journal.runs({ sessionId: run.sessionId })).filter((other) => other.id !== run.id)
}
