import { FairleadError } from '../fairlead-error.ts'
import type { ContentPart } from '../content/content-part.ts'
import type { ChatResponse, ChatUpdate } from './chat-client.ts'

/** Folds the updates of one streamed turn into the whole turn. One folder per turn. */
export class UpdateFolder {
  readonly #parts: ContentPart[] = []
  readonly #open = new Map<string, { readonly kind: 'text' | 'reasoning'; readonly index: number }>()
  #finish: Extract<ChatUpdate, { kind: 'finish' }> | undefined

  add(update: ChatUpdate): void {
    switch (update.kind) {
      case 'text-delta':
        return this.#append('text', update.id, update.text)
      case 'reasoning-delta':
        return this.#append('reasoning', update.id, update.text)
      case 'part':
        this.#parts.push(update.part)
        return undefined
      case 'finish':
        this.#finish = update
        return undefined
      default:
        // Providers add kinds in patch releases: what is not known is left out.
        update satisfies never
        return undefined
    }
  }

  /** The whole turn. Throws `MODEL_ERROR` when the stream ended without its finish: it was cut. */
  response(): ChatResponse {
    if (this.#finish === undefined) {
      throw new FairleadError('MODEL_ERROR', 'The model stream ended before its turn was finished.')
    }
    const { finishReason, usage, conversationId } = this.#finish
    return {
      parts: this.#parts,
      finishReason,
      ...(usage === undefined ? {} : { usage }),
      ...(conversationId === undefined ? {} : { conversationId }),
    }
  }

  #append(kind: 'text' | 'reasoning', id: string, text: string): void {
    const key = `${kind}:${id}`
    const open = this.#open.get(key)
    if (open === undefined) {
      this.#open.set(key, { kind, index: this.#parts.length })
      this.#parts.push({ kind, text })
      return
    }
    const part = this.#parts[open.index]
    if (part?.kind === kind) this.#parts[open.index] = { ...part, text: part.text + text }
  }
}

/** The updates of a whole turn, part by part: how a client without `stream` is streamed. */
export function* updatesOf(response: ChatResponse): Generator<ChatUpdate> {
  for (const part of response.parts) yield { kind: 'part', part }
  const { finishReason, usage, conversationId } = response
  yield {
    kind: 'finish',
    finishReason,
    ...(usage === undefined ? {} : { usage }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
}
