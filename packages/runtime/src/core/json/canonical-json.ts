import type { Json } from './json.ts'

/**
 * JSON text with sorted keys and no white space, so that equal values give equal text (RFC 8785 order and numbers).
 * Digests and standing rules are computed from it. Expects JSON: a value JSON cannot carry is a bug of the caller.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const object = value as { readonly [key: string]: Json }
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] ?? null)}`)
  return `{${members.join(',')}}`
}
