import type { Json } from '../json/json.ts'

/** A result holds something that has no JSON form. `path` says where. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError'
  readonly path: string

  constructor(path: string, found: string) {
    super(`The result holds ${found} at ${path === '' ? 'its top' : `"${path}"`}, which has no JSON form.`)
    this.path = path
  }
}

/** Deepest nesting of a result. */
const deepest = 200

/**
 * The table by which results become JSON: Date → RFC 3339 text, bigint → decimal text, Map → object (keys as text),
 * Set → array, `toJSON` is honoured, bytes → base64 text, NaN and infinities → null, an Error → its name and message;
 * undefined, functions and symbols are left out of objects and become null in arrays.
 * A cycle, or nesting deeper than 200, throws `NotJsonError`. The value itself is never changed.
 */
export function toJson(value: unknown): Json {
  return convert(value, '', [])
}

function convert(value: unknown, path: string, above: object[]): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return value.toString()
    case 'undefined':
    case 'function':
    case 'symbol':
      return null
    default:
      break
  }
  if (value === null) return null
  const object = value as object
  if (above.includes(object)) throw new NotJsonError(path, 'a cycle')
  if (above.length >= deepest) throw new NotJsonError(path, `more than ${deepest} levels of nesting`)
  above.push(object)
  const json = convertObject(object, path, above)
  above.pop()
  return json
}

function convertObject(object: object, path: string, above: object[]): Json {
  if (Array.isArray(object)) return object.map((item, index) => convert(item, join(path, String(index)), above))
  if (object instanceof Date) return Number.isNaN(object.getTime()) ? null : object.toISOString()
  if (object instanceof Map) {
    return fromEntries(
      [...object].map(([key, item]) => [String(key), item]),
      path,
      above,
    )
  }
  if (object instanceof Set) return [...object].map((item, index) => convert(item, join(path, String(index)), above))
  if (object instanceof Error) return { name: object.name, message: object.message }
  if (object instanceof Uint8Array) return base64(object)
  if ('toJSON' in object && typeof object.toJSON === 'function') {
    return convert((object.toJSON as () => unknown)(), path, above)
  }
  return fromEntries(Object.entries(object), path, above)
}

function fromEntries(entries: readonly (readonly [string, unknown])[], path: string, above: object[]): Json {
  const json: { [key: string]: Json } = {}
  for (const [key, item] of entries) {
    if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue
    const converted = convert(item, join(path, key), above)
    // A member of this name would otherwise set the prototype.
    if (key === '__proto__') Object.defineProperty(json, key, { value: converted, enumerable: true })
    else json[key] = converted
  }
  return json
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function base64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
