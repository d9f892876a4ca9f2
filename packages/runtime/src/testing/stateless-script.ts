import type { ChatClient, ChatRequest } from '../core/index.ts'
import { streamedTurn, turnAt, wholeTurn, type ResolvedTurn, type ScriptedTurn } from './scripted-turn.ts'

/**
 * A model that follows a script and keeps nothing: which turn comes next is the number of assistant messages in the
 * request. So one script serves a run that is begun in one process and goes on in another. A script is of one
 * conversation: a second prompt in the same session goes on in it.
 */
export function statelessScript(turns: readonly ScriptedTurn[]): ChatClient {
  const turnFor = (request: ChatRequest): Promise<ResolvedTurn> =>
    turnAt(turns, request.messages.filter(({ role }) => role === 'assistant').length, request)
  return {
    model: 'scripted',
    generate: async (request) => wholeTurn(await turnFor(request)),
    stream: async function* (request) {
      yield* streamedTurn(await turnFor(request))
    },
  }
}
