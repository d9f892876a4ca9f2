import type { JsonObject } from '../json/json.ts'
import type { ContentPart, ProviderMetadata } from '../content/content-part.ts'
import type { Message } from '../content/message.ts'
import type { Usage } from '../ports/run-record.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** A tool as the model is told of it. */
export type ToolDefinition = {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly strict: boolean
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string }

/** Everything a model needs for one turn. Nothing here may be mutated. */
export type ChatRequest = {
  readonly instructions: string | undefined
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly toolChoice: ToolChoice
  readonly signal: AbortSignal
  /** The id of a history the provider itself holds, when an earlier turn gave one. */
  readonly conversationId?: string
  readonly providerOptions?: JsonObject
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'error' | 'other'

/** One whole model turn. */
export type ChatResponse = {
  readonly parts: readonly ContentPart[]
  readonly finishReason: FinishReason
  readonly usage?: Usage
  readonly conversationId?: string
  /** US dollars of this turn, where the client knows. */
  readonly costUsd?: number
  /** Parts the client did not know and left out. */
  readonly ignoredParts?: number
}

/**
 * One piece of a streamed turn. Deltas of one text carry one `id`; every other part comes whole.
 * Provider metadata of a text may come with any of its deltas, an empty one included; the last that came stands.
 * A turn ends with exactly one `finish`: a stream that ends without it was cut and counts as a model error.
 */
export type ChatUpdate =
  | {
      readonly kind: 'text-delta'
      readonly id: string
      readonly text: string
      readonly providerMetadata?: ProviderMetadata
    }
  | {
      readonly kind: 'reasoning-delta'
      readonly id: string
      readonly text: string
      readonly providerMetadata?: ProviderMetadata
    }
  | { readonly kind: 'part'; readonly part: ContentPart }
  | {
      readonly kind: 'finish'
      readonly finishReason: FinishReason
      readonly usage?: Usage
      readonly conversationId?: string
      readonly costUsd?: number
      readonly ignoredParts?: number
    }

/**
 * A model. It proposes; it never runs a tool.
 * `generate` gives a whole turn, `stream` the same turn piece by piece; a client without `stream` is streamed part by
 * part. Failures are thrown. `signal` must be honoured: after an abort the client rejects and sends nothing more.
 * A client may be used for several turns at the same time and keeps no state between them.
 */
export interface ChatClient {
  /** Shown in output and traces, for example `openai:gpt-5.1`. */
  readonly model: string
  /** One sentence for people when answers do not come from a model, for example from an offline planner. */
  readonly notice?: string
  generate(request: ChatRequest): Promise<ChatResponse>
  stream?(request: ChatRequest): AsyncIterable<ChatUpdate>
}
