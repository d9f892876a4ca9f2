/** A value JSON can carry. Everything durable in Fairlead is one of these. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object; keys keep the order they were written in. */
export type JsonObject = { readonly [key: string]: Json }

/** True for a plain JSON object: not `null`, not an array. Does not look at the values. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The first thing in `value` that JSON cannot carry, with its place (`a.b.0`); `null` when it is all JSON. */
export function findNonJson(value: unknown, path = ''): { readonly path: string; readonly found: string } | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null
    case 'number':
      return Number.isFinite(value) ? null : { path, found: String(value) }
    case 'object':
      break
    default:
      return { path, found: typeof value }
  }
  if (value === null) return null
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inside = findNonJson(value[index], path === '' ? String(index) : `${path}.${index}`)
      if (inside !== null) return inside
    }
    return null
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    return { path, found: `a ${(value as object).constructor?.name ?? 'class instance'}` }
  }
  for (const key of Object.keys(value)) {
    const member = (value as { [key: string]: unknown })[key]
    // JSON leaves such a member out; so may a schema library.
    if (member === undefined) continue
    const inside = findNonJson(member, path === '' ? key : `${path}.${key}`)
    if (inside !== null) return inside
  }
  return null
}
