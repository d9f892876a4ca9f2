import { FairleadError, isJsonObject } from '@fairlead/runtime/core'

/** What a member of a stored record must be; a list of texts means: one of these. */
export type MemberKind =
  | 'text'
  | 'text-or-null'
  | 'number'
  | 'number-or-null'
  | 'boolean'
  | 'object'
  | 'object-or-null'
  | 'list'
  | 'any-json'
  | readonly string[]

/** The members a stored record must have. Members beyond these are kept as they are. */
export type RecordShape = { readonly [member: string]: MemberKind }

/** A shape with every member of `Stored`, so that a member added to a record cannot be forgotten here. */
export type ShapeOf<Stored> = { readonly [Member in keyof Stored]-?: MemberKind }

/** Where a record lies, for messages. */
export type RowPlace = { readonly table: string; readonly id: string }

/**
 * Reads JSON text from the file and checks its members. Rejects a text that is no JSON or lacks a member with
 * `STORE_UNAVAILABLE`, naming table and id. `added` is what members that came later are in a record from before
 * them. Looks one level deep: what lies below was written by this package.
 */
export function parseRecord(
  place: RowPlace,
  text: unknown,
  shape: RecordShape,
  added: { readonly [member: string]: unknown } = {},
): { readonly [member: string]: unknown } {
  const found = parseJson(place, text)
  if (!isJsonObject(found)) throw damaged(place, 'its JSON is not an object')
  const record = { ...added, ...found }
  for (const [member, kind] of Object.entries(shape)) {
    const value = record[member]
    if (!fits(value, kind)) throw damaged(place, `"${member}" should be ${nameOf(kind)}, found ${typeof value}`)
  }
  return record
}

/** Reads any JSON value from the file; same errors as `parseRecord`. */
export function parseJson(place: RowPlace, text: unknown): unknown {
  if (typeof text !== 'string') throw damaged(place, 'its JSON column holds no text')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw damaged(place, 'its JSON column holds no JSON')
  }
}

/** A whole number from a column; refuses what JavaScript would have rounded. */
export function integerFrom(place: RowPlace, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw damaged(place, 'a whole number was expected in a column')
}

/** The error for a row that this package cannot have written. */
export function damaged({ table, id }: RowPlace, found: string): FairleadError {
  return new FairleadError(
    'STORE_UNAVAILABLE',
    `The row "${id}" of table "${table}" is damaged: ${found}. Restore the file from a backup, or delete that row.`,
  )
}

function fits(value: unknown, kind: MemberKind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string'
    case 'text-or-null':
      return value === null || typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'number-or-null':
      return value === null || typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'object':
      return isJsonObject(value)
    case 'object-or-null':
      return value === null || isJsonObject(value)
    case 'list':
      return Array.isArray(value)
    case 'any-json':
      return value !== undefined
    default:
      return typeof value === 'string' && kind.includes(value)
  }
}

function nameOf(kind: MemberKind): string {
  return typeof kind === 'string' ? kind.replaceAll('-', ' ') : `one of ${kind.join(', ')}`
}
