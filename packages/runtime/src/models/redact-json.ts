import { isJsonObject, type Json } from '../core/index.ts'

/** What stays out of a recording, beside headers, which are never in one. */
export type Redaction = {
  /** Names of members whose texts and numbers are left out, beside the usual ones. Case, `-` and `_` do not count. */
  readonly keys?: readonly string[]
  /** Called with every text that would be kept; gives what to keep instead. Must give the same for the same text. */
  readonly text?: (text: string) => string
}

const usualKeys = [
  'accessToken',
  'apiKey',
  'authorization',
  'clientSecret',
  'cookie',
  'passphrase',
  'password',
  'privateKey',
  'refreshToken',
  'secret',
  'setCookie',
  'xApiKey',
]

const redacted = '[redacted]'

/**
 * Gives JSON without what the redaction names. A text that is JSON itself, as the arguments of a call are, is looked
 * into; JSON within prose is not.
 */
export function redactJson(value: Json, redaction: Redaction): Json {
  const keys = new Set([...usualKeys, ...(redaction.keys ?? [])].map(plain))
  return walk(value, keys)
}

function walk(value: Json, keys: ReadonlySet<string>): Json {
  if (typeof value === 'string') return walkText(value, keys)
  if (Array.isArray(value)) return value.map((item: Json) => walk(item, keys))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, keys.has(plain(key)) ? blank(member) : walk(member, keys)]),
  )
}

function walkText(text: string, keys: ReadonlySet<string>): string {
  if (!/^\s*[[{"]/.test(text)) return text
  try {
    const parsed = JSON.parse(text) as Json
    const clean = walk(parsed, keys)
    // Only what changes is written anew: white space of the model's own is part of the turn.
    return JSON.stringify(clean) === JSON.stringify(parsed) ? text : JSON.stringify(clean)
  } catch {
    return text
  }
}

function blank(value: Json): Json {
  if (typeof value === 'string' || typeof value === 'number') return redacted
  if (Array.isArray(value)) return value.map(blank)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, blank(member)]))
}

function plain(key: string): string {
  return key.replaceAll(/[-_]/g, '').toLowerCase()
}
