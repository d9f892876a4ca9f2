import { isJsonObject, type ContentPart, type FilePart, type Json, type ProviderMetadata } from '../core/index.ts'
import type { AiSdkPart } from './ai-sdk-model.ts'

/**
 * One whole part of a turn as ours; `undefined` for a part Fairlead has no place for, which the caller counts: sources,
 * results that are not final, and kinds nobody here knows yet.
 */
export function readPart(part: AiSdkPart): ContentPart | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { kind: part.type, text: part.text ?? '', ...metadataOf(part) }
    case 'file':
      return readFile(part)
    case 'tool-call':
      return {
        kind: 'function_call',
        callId: part.toolCallId ?? '',
        name: part.toolName ?? '',
        arguments: typeof part.input === 'string' ? part.input : (JSON.stringify(part.input) ?? ''),
        ...(part.providerExecuted === true ? { providerExecuted: true } : {}),
        ...metadataOf(part),
      }
    case 'tool-result':
      if (part.preliminary === true) return undefined
      return {
        kind: 'function_result',
        callId: part.toolCallId ?? '',
        name: part.toolName ?? '',
        call: null,
        status: part.isError === true ? 'error' : 'success',
        // The provider interface says that it is JSON.
        content: [{ kind: 'data', data: (part.result ?? null) as Json }],
        providerExecuted: true,
        ...metadataOf(part),
      }
    case 'tool-approval-request':
      // Without an id nobody could answer it.
      if (part.approvalId === undefined || part.approvalId === '') return undefined
      return {
        kind: 'hosted_approval_request',
        id: part.approvalId,
        callId: part.toolCallId ?? '',
        ...metadataOf(part),
      }
    default:
      return undefined
  }
}

/** True for a text or reasoning that says nothing: no text, and nothing the provider wants back. */
export function isEmptyText(part: ContentPart): boolean {
  return (part.kind === 'text' || part.kind === 'reasoning') && part.text === '' && part.providerMetadata === undefined
}

/** The provider's metadata of a part, as the member it becomes. */
export function metadataOf(part: AiSdkPart): { readonly providerMetadata?: ProviderMetadata } {
  const { providerMetadata } = part
  return isJsonObject(providerMetadata) ? { providerMetadata } : {}
}

/** V3 gives the bytes or their base64; V4 wraps them as `{type: 'data'}` or gives `{type: 'url'}`. */
function readFile(part: AiSdkPart): FilePart | undefined {
  const mediaType = part.mediaType ?? 'application/octet-stream'
  const { data } = part
  if (isJsonObject(data) && data['type'] === 'url') {
    const { url } = data as { readonly url?: unknown }
    return { kind: 'file', mediaType, uri: String(url), ...metadataOf(part) }
  }
  const bytes: unknown = isJsonObject(data) && data['type'] === 'data' ? data['data'] : data
  if (typeof bytes === 'string') return { kind: 'file', mediaType, data: bytes, ...metadataOf(part) }
  if (!(bytes instanceof Uint8Array)) return undefined
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return { kind: 'file', mediaType, data: base64, ...metadataOf(part) }
}
