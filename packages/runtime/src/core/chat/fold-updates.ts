import { FairleadError } from '../fairlead-error.ts'
import type { ContentPart } from '../content/content-part.ts'
import type { ChatResponse, ChatUpdate } from './chat-client.ts'

/** Folds the updates of one streamed turn into the whole turn. One folder per turn. */
export class UpdateFolder {
  readonly #parts: ContentPart[] = []
  readonly #open = new Map<string, { readonly kind: 'text' | 'reasoning'; readonly index: number }>()
  #ignored = 0
  #finish: Extract<ChatUpdate, { kind: 'finish' }> | undefined

  add(update: ChatUpdate): void {
    switch (update.kind) {
      case 'text-delta':
        return this.#append('text', update)
      case 'reasoning-delta':
        return this.#append('reasoning', update)
      case 'part':
        this.#parts.push(update.part)
        return undefined
      case 'finish':
        this.#finish = update
        return undefined
      default:
        // Providers add kinds in patch releases: what is not known is left out, and counted.
        update satisfies never
        this.#ignored++
        return undefined
    }
  }

  /** The whole turn. Throws `MODEL_ERROR` when the stream ended without its finish: it was cut. */
  response(): ChatResponse {
    if (this.#finish === undefined) {
      throw new FairleadError('MODEL_ERROR', 'The model stream ended before its turn was finished.')
    }
    return { parts: this.#parts, ...endOf(this.#finish, this.#ignored) }
  }

  #append(kind: 'text' | 'reasoning', delta: TextDelta): void {
    const { text, providerMetadata } = delta
    const metadata = providerMetadata === undefined ? {} : { providerMetadata }
    const key = `${kind}:${delta.id}`
    const open = this.#open.get(key)
    if (open === undefined) {
      this.#open.set(key, { kind, index: this.#parts.length })
      this.#parts.push({ kind, text, ...metadata })
      return
    }
    const part = this.#parts[open.index]
    if (part?.kind === kind) this.#parts[open.index] = { ...part, text: part.text + text, ...metadata }
  }
}

type TextDelta = Extract<ChatUpdate, { kind: 'text-delta' | 'reasoning-delta' }>

/** The updates of a whole turn, part by part: how a client without `stream` is streamed. */
export function* updatesOf(response: ChatResponse): Generator<ChatUpdate> {
  for (const part of response.parts) yield { kind: 'part', part }
  yield { kind: 'finish', ...endOf(response, 0) }
}

type End = Omit<ChatResponse, 'parts'>

function endOf(source: End, alsoIgnored: number): End {
  const { finishReason, usage, conversationId, costUsd, ignoredParts } = source
  const ignored = (ignoredParts ?? 0) + alsoIgnored
  return {
    finishReason,
    ...(usage === undefined ? {} : { usage }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(ignored === 0 ? {} : { ignoredParts: ignored }),
  }
}
