import type { Approval } from '../approval/approval.ts'
import type { CallRecord } from '../call/call-record.ts'
import { decodeConversation, encodeConversation, type ConversationJson } from '../content/conversation-json.ts'
import { FairleadError } from '../fairlead-error.ts'
import { isSignedBy, sign } from '../platform/sign.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'
import { innerSessionId } from '../call/inner-session.ts'

/**
 * A suspended run as a host without a store of its own carries it: everything another process needs to go on, signed.
 * It holds the conversation in clear text; what it cannot hold is whether it was used somewhere else already.
 */
type Continuation = {
  readonly version: 1
  readonly runId: string
  /** The run itself first, then those of agents inside its calls. */
  readonly runs: readonly CarriedRun[]
}

type CarriedRun = {
  readonly run: RunRecord
  readonly createdAt: number
  readonly conversation: ConversationJson
  readonly calls: readonly CallRecord[]
  readonly approvals: readonly Approval[]
}

const shortestSecret = 32

/** Throws `INVALID_OPTION` for a secret anybody could guess. */
export function requireSecret(secret: string | undefined): string | null {
  if (secret === undefined) return null
  if (typeof secret === 'string' && secret.length >= shortestSecret) return secret
  throw new FairleadError('INVALID_OPTION', `approvalSecret must be a text of at least ${shortestSecret} characters.`)
}

/** Packs a suspended run. */
export async function packRun(store: Store, runId: string, secret: string): Promise<string> {
  const continuation: Continuation = { version: 1, runId, runs: await carriedRuns(store, runId) }
  const text = Buffer.from(JSON.stringify(continuation)).toString('base64url')
  return `${text}.${sign(text, secret)}`
}

async function carriedRuns(store: Store, runId: string): Promise<readonly CarriedRun[]> {
  const run = await store.journal.run(runId)
  if (run === undefined) return []
  const session = await store.sessions.get(run.sessionId)
  const calls = await store.journal.calls(runId)
  const carried: CarriedRun[] = [
    {
      run: { ...run, lease: null },
      createdAt: session?.createdAt ?? run.startedAt,
      conversation: encodeConversation(session?.messages ?? []),
      calls,
      approvals: await store.approvals.list({ runId }),
    },
  ]
  for (const call of calls) {
    if (call.state !== 'Retried') continue
    const [inner] = await store.journal.runs({ sessionId: innerSessionId(call.id), limit: 1 })
    if (inner !== undefined) carried.push(...(await carriedRuns(store, inner.id)))
  }
  return carried
}

/**
 * Brings a packed run into a store that does not have it; where it is already, nothing changes, also when the store's
 * state is the older one. Rejects with `APPROVAL_REFUSED` for what was not signed with this secret, and where the store
 * holds another conversation of the same id.
 */
export async function unpackRun(store: Store, text: string, secret: string | null): Promise<void> {
  if (secret === null) throw refused('this agent has no approvalSecret to check it with')
  const continuation = readContinuation(text, secret)
  if ((await store.journal.run(continuation.runId)) !== undefined) return
  const entries: JournalEntry[] = []
  for (const { run, createdAt, conversation, calls, approvals } of continuation.runs) {
    const messages = decodeConversation(conversation)
    const { sessionId } = run
    entries.push({ kind: 'session-created', sessionId, at: createdAt, anonymous: true })
    if (messages.length > 0) {
      entries.push({ kind: 'messages-added', sessionId, runId: run.id, expectedCount: 0, messages, at: createdAt })
    }
    entries.push({ kind: 'run-started', run })
    for (const call of calls) entries.push({ kind: 'call-opened', call })
    for (const approval of approvals) entries.push({ kind: 'approval-requested', approval })
  }
  try {
    await store.journal.append(entries)
  } catch (error) {
    if (!(error instanceof JournalConflict)) throw error
    // Somebody brought it in meanwhile, which is as good.
    if ((await store.journal.run(continuation.runId)) !== undefined) return
    throw refused('this store holds another conversation of that name')
  }
}

function readContinuation(text: unknown, secret: string): Continuation {
  const parts = typeof text === 'string' ? text.split('.') : []
  const [payload = '', signature = ''] = parts
  if (parts.length !== 2 || !isSignedBy(payload, signature, secret))
    throw refused('it was not signed with this secret, or changed since')
  // Signed by ourselves, so it has the form we gave it.
  const continuation = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Continuation
  if (continuation.version !== 1) throw refused(`it has version ${String(continuation.version)}, expected 1`)
  return continuation
}

function refused(why: string): FairleadError {
  return new FairleadError('APPROVAL_REFUSED', `The continuation cannot be used: ${why}.`)
}
