import type { Json } from '../../json/json.ts'

/** A value with every string, whole number and key in it masked; the same value when nothing changed. */
export function maskJson(value: Json, mask: (text: string) => string): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value === 'number') {
    const text = String(value)
    const masked = Number.isInteger(value) ? mask(text) : text
    return masked === text ? value : masked
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const members = value.map((member: Json) => maskJson(member, mask))
    return members.every((member, index) => member === value[index]) ? value : members
  }
  const entries = Object.entries(value).map(([key, member]) => ({
    key,
    to: mask(key),
    member,
    masked: maskJson(member, mask),
  }))
  if (entries.every(({ key, to, member, masked }) => key === to && member === masked)) return value
  const object = new Map<string, Json>()
  for (const { to, masked } of entries) object.set(freeKey(object, to), masked)
  return Object.fromEntries(object)
}

/** Keys that were masked to the same text stay apart. */
function freeKey(object: ReadonlyMap<string, Json>, key: string): string {
  let free = key
  for (let count = 2; object.has(free); count++) free = `${key} ${count}`
  return free
}
