import type { ChatUpdate } from '../core/index.ts'
import type { AiSdkFinishReason, AiSdkPart, AiSdkUsage } from './ai-sdk-model.ts'
import { isCut, readFinishReason, readUsage } from './read-finish.ts'
import { isEmptyText, metadataOf, readPart } from './read-part.ts'
import { readStreamError } from './read-stream-error.ts'

/** What the end of a streamed turn said. */
export type StreamedFinish = {
  readonly finishReason: AiSdkFinishReason
  readonly usage: AiSdkUsage | undefined
  readonly providerMetadata: unknown
}

/** Turns the parts of one AI SDK stream into updates, one at a time. One object per turn. */
export class StreamedTurn {
  /** Our ids of the open texts and reasonings: providers use an id again after its end. */
  readonly #open = { text: new Map<string, string>(), reasoning: new Map<string, string>() }
  #blocks = 0
  #ignored = 0
  #finish: StreamedFinish | undefined

  /** The update a part gives, if any. Throws the error of an `error` part: it stands for the rest of the turn. */
  read(part: AiSdkPart): ChatUpdate | undefined {
    switch (part.type) {
      case 'text-delta':
        return this.#delta('text', part)
      case 'reasoning-delta':
        return this.#delta('reasoning', part)
      case 'text-start':
        return this.#start('text', part)
      case 'reasoning-start':
        return this.#start('reasoning', part)
      case 'text-end':
        return this.#end('text', part)
      case 'reasoning-end':
        return this.#end('reasoning', part)
      case 'finish':
        this.#readFinish(part)
        return undefined
      case 'error':
        throw readStreamError(part.error)
      case 'stream-start':
      case 'response-metadata':
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'raw':
      case 'ping':
        // Nothing of a turn: calls come whole after their pieces.
        return undefined
      default:
        return this.#whole(part)
    }
  }

  /**
   * The turn's one `finish`, after its last part; `undefined` when the stream was cut, which whoever folds the updates
   * judges. `conversationIdOf` finds the id of a history the provider holds.
   */
  finish(conversationIdOf: (metadata: unknown) => string | undefined): ChatUpdate | undefined {
    const end = this.#finish
    if (end === undefined || isCut(end.finishReason)) return undefined
    const usage = readUsage(end.usage)
    const conversationId = conversationIdOf(end.providerMetadata)
    return {
      kind: 'finish',
      finishReason: readFinishReason(end.finishReason),
      ...(usage === undefined ? {} : { usage }),
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(this.#ignored === 0 ? {} : { ignoredParts: this.#ignored }),
    }
  }

  #start(kind: 'text' | 'reasoning', part: AiSdkPart): ChatUpdate | undefined {
    const id = this.#openBlock(kind, part)
    // Some reasoning is nothing but metadata at its start; it has to be kept, at its place among the parts.
    return part.providerMetadata === undefined ? undefined : emptyDelta(kind, id, part)
  }

  #delta(kind: 'text' | 'reasoning', part: AiSdkPart): ChatUpdate | undefined {
    const text = part.delta ?? ''
    const id = this.#open[kind].get(part.id ?? '') ?? this.#openBlock(kind, part)
    if (part.providerMetadata === undefined) {
      return text === '' ? undefined : { kind: kind === 'text' ? 'text-delta' : 'reasoning-delta', id, text }
    }
    return { kind: `${kind}-delta`, id, text, ...metadataOf(part) }
  }

  #end(kind: 'text' | 'reasoning', part: AiSdkPart): ChatUpdate | undefined {
    const id = this.#open[kind].get(part.id ?? '')
    this.#open[kind].delete(part.id ?? '')
    return id === undefined || part.providerMetadata === undefined ? undefined : emptyDelta(kind, id, part)
  }

  #openBlock(kind: 'text' | 'reasoning', part: AiSdkPart): string {
    const id = String(this.#blocks++)
    this.#open[kind].set(part.id ?? '', id)
    return id
  }

  #whole(part: AiSdkPart): ChatUpdate | undefined {
    const read = readPart(part)
    if (read === undefined) this.#ignored++
    return read === undefined || isEmptyText(read) ? undefined : { kind: 'part', part: read }
  }

  #readFinish(part: AiSdkPart): void {
    this.#finish = {
      finishReason: part.finishReason ?? { unified: 'other', raw: undefined },
      usage: part.usage,
      providerMetadata: part.providerMetadata,
    }
  }
}

function emptyDelta(kind: 'text' | 'reasoning', id: string, part: AiSdkPart): ChatUpdate {
  return { kind: `${kind}-delta`, id, text: '', ...metadataOf(part) }
}
