import type { ChatClient, ChatRequest, ChatResponse, ChatUpdate } from '../core/index.ts'
import { streamedTurn, turnAt, wholeTurn, type ResolvedTurn, type ScriptedTurn } from './scripted-turn.ts'

/**
 * A model that follows a script, for tests without a model. Keeps every request it was sent in `requests`.
 * The same script gives the same turns through `generate` and through `stream`, text split into small deltas.
 * It counts the turns it gave, so a run that goes on in another process begins its script anew there: use
 * `statelessScript` for that.
 */
export class ScriptedChatClient implements ChatClient {
  readonly model = 'scripted'
  readonly requests: ChatRequest[] = []
  readonly #turns: readonly ScriptedTurn[]
  #next = 0

  constructor(turns: readonly ScriptedTurn[]) {
    this.#turns = turns
  }

  /** Turns of the script nobody asked for yet. */
  get remaining(): number {
    return this.#turns.length - this.#next
  }

  async generate(request: ChatRequest): Promise<ChatResponse> {
    return wholeTurn(await this.#take(request))
  }

  async *stream(request: ChatRequest): AsyncGenerator<ChatUpdate> {
    yield* streamedTurn(await this.#take(request))
  }

  #take(request: ChatRequest): Promise<ResolvedTurn> {
    this.requests.push(request)
    return turnAt(this.#turns, this.#next++, request)
  }
}
