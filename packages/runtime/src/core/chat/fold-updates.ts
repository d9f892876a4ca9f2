import { FairleadError } from '../fairlead-error.ts'
import type { ContentPart, ProviderMetadata } from '../content/content-part.ts'
import type { ChatResponse, ChatUpdate } from './chat-client.ts'

/** Folds the updates of one streamed turn into the whole turn. One folder per turn. */
export class UpdateFolder {
  readonly #parts: ContentPart[] = []
  readonly #open = { text: new Map<string, OpenText>(), reasoning: new Map<string, OpenText>() }
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
    const open = this.#open[kind].get(delta.id)
    if (open === undefined) {
      const part: OpenText = { kind, text: delta.text }
      if (delta.providerMetadata !== undefined) part.providerMetadata = delta.providerMetadata
      this.#open[kind].set(delta.id, part)
      this.#parts.push(part)
      return
    }
    open.text += delta.text
    if (delta.providerMetadata !== undefined) open.providerMetadata = delta.providerMetadata
  }
}

type TextDelta = Extract<ChatUpdate, { kind: 'text-delta' | 'reasoning-delta' }>

/** A text that still grows; nobody else holds it before the turn is whole. */
type OpenText = { readonly kind: 'text' | 'reasoning'; text: string; providerMetadata?: ProviderMetadata }

/** The updates of a whole turn, part by part: how a client without `stream` is streamed. */
export function* updatesOf(response: ChatResponse): Generator<ChatUpdate> {
  for (const part of response.parts) yield { kind: 'part', part }
  yield Object.assign({ kind: 'finish' as const }, endOf(response, 0))
}

type End = Omit<ChatResponse, 'parts'>

function endOf(source: End, alsoIgnored: number): End {
  const { finishReason, usage, conversationId, costUsd, ignoredParts } = source
  const ignored = (ignoredParts ?? 0) + alsoIgnored
  // Member by member: V8 makes a new hidden class for every object that is spread and then grows.
  const end: { -readonly [Member in keyof End]: End[Member] } = { finishReason }
  if (usage !== undefined) end.usage = usage
  if (conversationId !== undefined) end.conversationId = conversationId
  if (costUsd !== undefined) end.costUsd = costUsd
  if (ignored !== 0) end.ignoredParts = ignored
  return end
}
