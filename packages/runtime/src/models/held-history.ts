import { FairleadError, isJsonObject, type JsonObject } from '../core/index.ts'
import type { AiSdkModel } from './ai-sdk-model.ts'

/** How a client speaks of a history that the provider keeps. */
export type HeldHistory = {
  /** The id to go on from, out of the provider's metadata of a turn. */
  conversationIdOf(metadata: unknown): string | undefined
  /** The provider options that go on from it. */
  optionsFor(conversationId: string | undefined, instructions: string | undefined): JsonObject | undefined
}

/** The provider keeps nothing: every request brings the whole conversation. */
export const noHeldHistory: HeldHistory = {
  conversationIdOf: () => undefined,
  optionsFor: () => undefined,
}

/**
 * The history that OpenAI's Responses API keeps: a turn's response id is the next turn's `previousResponseId`.
 * Instructions go as the API's own `instructions`, which it does not keep: as a message they would be kept, and pile up.
 * Throws `INVALID_OPTION` for a model of another API.
 */
export function responsesHistory(model: AiSdkModel): HeldHistory {
  if (!model.provider.endsWith('.responses')) {
    throw new FairleadError(
      'INVALID_OPTION',
      `serviceHeldHistory: expected a model of OpenAI's Responses API, found ${model.provider}; leave the option out.`,
    )
  }
  const name = model.provider.includes('azure') ? 'azure' : 'openai'
  return {
    conversationIdOf(metadata) {
      const own = isJsonObject(metadata) ? metadata[name] : undefined
      const id = isJsonObject(own) ? own['responseId'] : undefined
      return typeof id === 'string' ? id : undefined
    },
    optionsFor(conversationId, instructions) {
      return {
        [name]: {
          ...(conversationId === undefined ? {} : { previousResponseId: conversationId }),
          ...(instructions === undefined || instructions === '' ? {} : { instructions }),
        },
      }
    },
  }
}
