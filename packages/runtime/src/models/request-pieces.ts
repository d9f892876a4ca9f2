import {
  canonicalJson,
  sha256,
  type ChatRequest,
  type ContentPart,
  type Json,
  type JsonObject,
  type Message,
} from '../core/index.ts'
import { mapTexts } from './map-texts.ts'
import { redactJson, type Redaction } from './redact-json.ts'
import { StableIds } from './stable-ids.ts'

/** One part of a request that is told apart and kept once: the instructions, the tools, each message. */
export type Piece = { readonly place: string; readonly digest: string; readonly value: Json }

/** A request as a recording knows it: without secrets, and without what differs from run to run. */
export type RequestKey = {
  readonly digest: string
  readonly pieces: readonly Piece[]
  readonly ids: StableIds
}

/**
 * Gives the key of a request. It covers instructions, tools, tool choice and messages; provider options, headers and a
 * history held by the provider do not count, nor do Fairlead's own ids of runs, calls and evidence.
 */
export function keyOfRequest(request: ChatRequest, redaction: Redaction): RequestKey {
  const ids = new StableIds()
  const maskText = (text: string): string => ids.conceal(redaction.text === undefined ? text : redaction.text(text))
  const piece = (place: string, value: Json): Piece => {
    const masked = mapTexts(value, maskText)
    return { place, value: masked, digest: digestOf(masked) }
  }
  const pieces = [
    piece('instructions', request.instructions ?? null),
    piece('toolChoice', request.toolChoice),
    // Definitions hold no secrets, but schemas that speak of them.
    piece('tools', request.tools),
    ...request.messages.map((message, index) => piece(`messages.${index}`, redactJson(bare(message), redaction))),
  ]
  return { pieces, ids, digest: digestOf(pieces.map(({ digest }) => digest)) }
}

/** 128 bits of SHA-256 of the canonical JSON. */
function digestOf(value: Json): string {
  return sha256.sha256(canonicalJson(value)).slice(0, 32)
}

function bare(message: Message): JsonObject {
  return { role: message.role, parts: message.parts.map(barePart) }
}

/** A part without Fairlead's own id of the call and without where the evidence is. */
function barePart(part: ContentPart): Json {
  const plain: { [key: string]: Json | undefined } = { ...(part as unknown as JsonObject) }
  delete plain['call']
  delete plain['evidenceUri']
  if (part.kind === 'hosted_approval_response') {
    // Kept in the conversation, never sent.
    delete plain['by']
    delete plain['runId']
  }
  return mapTexts(plain as JsonObject, (text) => text)
}
