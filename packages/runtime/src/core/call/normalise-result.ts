import { isJsonObject, type Json } from '../json/json.ts'
import type { ResultItem } from '../ports/labels.ts'
import type { Envelope } from './envelope.ts'
import { codeFrom } from './error-code.ts'
import { toJson } from './to-json.ts'

/** A tool's return value in one form: what happened, as the host sees it, and its content for the model. */
export type NormalisedResult = {
  readonly envelope: Omit<Envelope, 'summary' | 'latencyMs' | 'evidenceUri'> & { readonly summary: string | null }
  readonly items: readonly ResultItem[]
}

/**
 * Turns whatever a tool returned into one form. Text stays text, content parts stay content, an envelope is taken as
 * it is, everything else becomes JSON by the table in `toJson`. Throws `NotJsonError` for what has no JSON form.
 */
export function normaliseResult(value: unknown): NormalisedResult {
  if (typeof value === 'string') return success(value, [{ kind: 'text', text: value }])
  if (value === undefined || value === null) return success(null, [{ kind: 'text', text: '' }])
  if (isResultItem(value)) return fromItems([value])
  if (Array.isArray(value) && value.some(isResultItem)) return fromItems(value)
  const data = toJson(value)
  return isEnvelope(data) ? fromEnvelope(data) : success(data, [itemOf(data)])
}

/** The value as one JSON value, whatever it looks like. */
export function rawResult(value: unknown): NormalisedResult {
  const data = toJson(value)
  return success(data, [itemOf(data)])
}

function success(data: Json, items: readonly ResultItem[]): NormalisedResult {
  return { envelope: { status: 'success', data, summary: null, retryable: false }, items }
}

/** Content parts are copied as JSON: what the tool does with its own objects later changes nothing here. */
function fromItems(values: readonly unknown[]): NormalisedResult {
  const data = values.map(toJson)
  const items = data.map((item): ResultItem => (isResultItem(item) ? item : itemOf(item)))
  return success(data, items)
}

function itemOf(data: Json): ResultItem {
  return typeof data === 'string' ? { kind: 'text', text: data } : { kind: 'data', data }
}

/** Content a result may hold. */
export function isResultItem(value: unknown): value is ResultItem {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  switch (value.kind) {
    case 'text':
      return 'text' in value && typeof value.text === 'string'
    case 'data':
      return 'data' in value && Object.keys(value).length <= 3
    case 'file':
      return 'mediaType' in value && typeof value.mediaType === 'string'
    default:
      return false
  }
}

type EnvelopeLike = { readonly status: 'success' | 'error'; readonly summary: string } & {
  readonly [key: string]: Json
}

function isEnvelope(data: Json): data is EnvelopeLike {
  return (
    isJsonObject(data) &&
    (data['status'] === 'success' || data['status'] === 'error') &&
    typeof data['summary'] === 'string' &&
    'data' in data
  )
}

function fromEnvelope(value: EnvelopeLike): NormalisedResult {
  const data = value['data'] ?? null
  const errorCode = value['errorCode']
  return {
    envelope: {
      status: value.status,
      data,
      summary: value.summary,
      retryable: value['retryable'] === true,
      ...(value.status === 'error' ? { errorCode: codeFrom(errorCode) } : {}),
    },
    items: [itemOf(data)],
  }
}
