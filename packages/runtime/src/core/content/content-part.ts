import type { Remember } from '../approval/remember.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { CallId } from '../call/call-id.ts'

/** What a provider attached to a part (reasoning signatures and the like): opaque, kept, echoed on the next turn. */
export type ProviderMetadata = JsonObject

export type TextPart = { readonly kind: 'text'; readonly text: string; readonly providerMetadata?: ProviderMetadata }

/** The model's own reasoning, shown by some providers. It is never an instruction and never a consent. */
export type ReasoningPart = {
  readonly kind: 'reasoning'
  readonly text: string
  readonly providerMetadata?: ProviderMetadata
}

/** A JSON value as content: structured tool results and structured answers. */
export type DataPart = { readonly kind: 'data'; readonly data: Json; readonly providerMetadata?: ProviderMetadata }

/** Bytes as content (image, audio, document): either base64 `data` or a `uri`. */
export type FilePart = {
  readonly kind: 'file'
  readonly mediaType: string
  readonly data?: string
  readonly uri?: string
  readonly name?: string
  readonly providerMetadata?: ProviderMetadata
}

/**
 * The model says "call this". `arguments` is the text exactly as the model wrote it, unparsed and possibly invalid;
 * `callId` is the provider's id, which models reuse: it pairs a call with its result inside one turn and nothing more.
 */
export type FunctionCallPart = {
  readonly kind: 'function_call'
  readonly callId: string
  readonly name: string
  readonly arguments: string
  /** Told for information only; never run. */
  readonly informational?: boolean
  /** Run by the provider itself: passes through, not governed by Fairlead. */
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
}

/** What the model gets to see of a call's outcome. The full result is kept as evidence under `evidenceUri`. */
export type FunctionResultPart = {
  readonly kind: 'function_result'
  /** The provider's id of the call this answers. */
  readonly callId: string
  readonly name: string
  /** Fairlead's own id of the call; `null` for results a provider made itself. */
  readonly call: CallId | null
  readonly status: 'success' | 'error'
  readonly content: readonly (TextPart | DataPart | FilePart)[]
  readonly errorCode?: string
  readonly evidenceUri?: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: ProviderMetadata
}

/** A call waits for a person. The request is recorded; an answer is matched to the record by `id`. */
export type ApprovalRequestPart = {
  readonly kind: 'function_approval_request'
  readonly id: string
  readonly call: CallId
  readonly tool: string
  readonly arguments: JsonObject
}

/** A person's answer, given on the host's channel. Tool and arguments come from the record, never from here. */
export type ApprovalResponsePart = {
  readonly kind: 'function_approval_response'
  readonly id: string
  readonly approved: boolean
  readonly by: string
  readonly reason?: string
  /** Approves these arguments in place of those that were asked about. */
  readonly edit?: JsonObject
  /** Approves calls like this one from now on. */
  readonly remember?: Remember
}

/**
 * A provider asks before it carries out a call of its own (a hosted MCP server, for example). Passes through: nothing of
 * it is recorded as a request of Fairlead's, and no policy of Fairlead's judged the call.
 */
export type HostedApprovalRequestPart = {
  readonly kind: 'hosted_approval_request'
  /** The provider's id of the request. */
  readonly id: string
  /** The provider's id of the call, told in the same turn with its name and arguments. */
  readonly callId: string
  readonly providerMetadata?: ProviderMetadata
}

/** A person's answer to a provider's request, given on the host's channel; it goes to the provider with the next turn. */
export type HostedApprovalResponsePart = {
  readonly kind: 'hosted_approval_response'
  readonly id: string
  readonly approved: boolean
  /** Who decided. Kept in the conversation, never sent to the provider. */
  readonly by: string
  readonly reason?: string
  /** The run that asked, by which its conversation is found where none is given. */
  readonly runId?: string
  readonly providerMetadata?: ProviderMetadata
}

/** One piece of a message, discriminated on `kind`. Plain JSON, never mutated. */
export type ContentPart =
  | TextPart
  | ReasoningPart
  | DataPart
  | FilePart
  | FunctionCallPart
  | FunctionResultPart
  | ApprovalRequestPart
  | ApprovalResponsePart
  | HostedApprovalRequestPart
  | HostedApprovalResponsePart
