import { textOf, type RunRecord, type Store } from '@fairlead/runtime/core'

/** What the assistant said in a run before it stopped. */
export async function earlierTexts(run: RunRecord, store: Store): Promise<readonly string[]> {
  const session = await store.sessions.get(run.sessionId)
  const messages = session?.messages.slice(run.firstMessage) ?? []
  return messages.flatMap(({ role, parts }) => (role === 'assistant' ? [textOf(parts)] : []))
}
