import type { Message } from '../content/message.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { CallRecord } from './call-record.ts'

/** The entry that tells a conversation what was found out about a call it has an answer to, or why it cannot be told. */
export type Note =
  | { readonly kind: 'note'; readonly entry: JournalEntry }
  | { readonly kind: 'not-now'; readonly because: string }

/** More runs than may ever lie inside one another. */
const mostHops = 64

/**
 * Notes what became of a call in doubt where a model will hear it: in the conversation a host holds, also for a call of
 * an agent inside a call. Between the calls of a turn and their results nothing may stand, so only an idle conversation
 * is told.
 */
export async function noteResolution(
  store: Store,
  call: CallRecord,
  found: { readonly tookEffect: boolean; readonly by: string; readonly at: number },
): Promise<Note> {
  const sessionId = (await outermostRun(store, call.runId))?.sessionId ?? call.sessionId
  const [latest] = await store.journal.runs({ sessionId, limit: 1 })
  if (latest !== undefined && latest.status !== 'ended') return { kind: 'not-now', because: whyNot(latest) }
  const what = found.tookEffect ? 'took effect' : 'did not take effect'
  const text = `Note: the earlier call ${call.tool} (${call.providerCallId}), which was in doubt, ${what}. ${found.by} looked.`
  const message: Message = { role: 'user', parts: [{ kind: 'text', text }] }
  const expectedCount = (await store.sessions.get(sessionId))?.messages.length ?? 0
  const entry: JournalEntry = {
    kind: 'messages-added',
    sessionId,
    runId: call.runId,
    expectedCount,
    messages: [message],
    at: found.at,
  }
  return { kind: 'note', entry }
}

function whyNot({ id, status, stopReason }: RunRecord): string {
  return status === 'running'
    ? `a run of its conversation is under way (${id}); resolve the call when it has stopped`
    : `its conversation is in the middle of a turn (run ${id}, ${stopReason ?? 'suspended'}); answer that first`
}

async function outermostRun(store: Store, runId: string): Promise<RunRecord | undefined> {
  let run = await store.journal.run(runId)
  for (let hops = 0; hops < mostHops && run !== undefined && run.parent !== null; hops++) {
    run = await store.journal.run(run.parent.runId)
  }
  return run
}
