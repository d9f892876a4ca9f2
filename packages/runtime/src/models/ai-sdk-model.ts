import type { JsonObject } from '../core/index.ts'

/**
 * A language model of an AI SDK provider package, of specification V3 or V4, by its shape: nothing of the AI SDK is
 * needed at run time or for types. Options are an `object` because each generation types its own.
 */
export interface AiSdkModel {
  readonly specificationVersion: 'v3' | 'v4'
  readonly provider: string
  readonly modelId: string
  doGenerate(options: object): PromiseLike<AiSdkTurn>
  doStream(options: object): PromiseLike<{ readonly stream: AiSdkStream }>
}

/** A whole turn as `doGenerate` gives it. */
export type AiSdkTurn = {
  readonly content: readonly AiSdkPart[]
  readonly finishReason: AiSdkFinishReason
  readonly usage: AiSdkUsage
  readonly providerMetadata?: unknown
}

/** What is used of a web `ReadableStream`. */
export type AiSdkStream = { getReader(): AiSdkReader }

export type AiSdkReader = {
  read(): PromiseLike<{ readonly done: boolean; readonly value?: AiSdkPart | undefined }>
  cancel(reason?: unknown): PromiseLike<void>
}

/** One content part or stream part, of whatever kind: providers add kinds in patch releases. */
export type AiSdkPart = {
  readonly type: string
  readonly id?: string
  readonly text?: string
  readonly delta?: string
  readonly mediaType?: string
  readonly data?: unknown
  readonly toolCallId?: string
  readonly toolName?: string
  readonly approvalId?: string
  readonly input?: unknown
  readonly providerExecuted?: boolean | undefined
  readonly result?: unknown
  readonly isError?: boolean | undefined
  readonly preliminary?: boolean | undefined
  readonly finishReason?: AiSdkFinishReason
  readonly usage?: AiSdkUsage
  readonly error?: unknown
  readonly providerMetadata?: unknown
}

export type AiSdkFinishReason = { readonly unified: string; readonly raw: string | undefined }

export type AiSdkUsage = {
  readonly inputTokens: { readonly total: number | undefined }
  readonly outputTokens: { readonly total: number | undefined }
}

/** A message as both generations take it; only files differ. */
export type AiSdkMessage =
  | { readonly role: 'system'; readonly content: string; readonly providerOptions?: JsonObject }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly AiSdkPromptPart[] }

export type AiSdkPromptPart = { readonly providerOptions?: JsonObject } & (
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: AiSdkFileData; readonly filename?: string }
  | {
      readonly type: 'tool-call'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: JsonObject
      readonly providerExecuted?: boolean
    }
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string
    }
  | {
      readonly type: 'tool-result'
      readonly toolCallId: string
      readonly toolName: string
      readonly output: AiSdkToolOutput
    }
)

/** V3: base64 text or a URL. V4: the same, tagged. */
export type AiSdkFileData =
  | string
  | URL
  | { readonly type: 'data'; readonly data: string }
  | { readonly type: 'url'; readonly url: URL }

export type AiSdkToolOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'json' | 'error-json'; readonly value: unknown }
  | { readonly type: 'execution-denied'; readonly reason: string }
  | { readonly type: 'content'; readonly value: readonly AiSdkOutputItem[] }

/** V4 knows `file` only; V3 has a kind for each of image or file, data or URL. */
export type AiSdkOutputItem =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly data: AiSdkFileData; readonly mediaType: string; readonly filename?: string }
  | {
      readonly type: 'image-data' | 'file-data'
      readonly data: string
      readonly mediaType: string
      readonly filename?: string
    }
  | { readonly type: 'image-url' | 'file-url'; readonly url: string }
