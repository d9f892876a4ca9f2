import { isJsonObject, type Json } from '../json/json.ts'

const longest = 280

/**
 * A short account of a result for people and traces: texts give their first sentences, arrays their count and ends,
 * objects their scalar top-level members. At most 280 characters; it says when something was left out.
 */
export function summarise(data: Json): string {
  if (data === null) return 'No result.'
  if (typeof data === 'string') return summariseText(data)
  if (typeof data !== 'object') return String(data)
  if (Array.isArray(data)) return summariseArray(data)
  return isJsonObject(data) ? summariseObject(data) : ''
}

function summariseText(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  if (flat === '') return 'Empty text.'
  if (flat.length <= longest) return flat
  const head = flat.slice(0, longest - 1)
  const end = Math.max(head.lastIndexOf('. '), head.lastIndexOf('。'), head.lastIndexOf('! '), head.lastIndexOf('? '))
  return end > 60 ? `${head.slice(0, end + 1)} …` : `${head}…`
}

function summariseArray(items: readonly Json[]): string {
  if (items.length === 0) return 'No items.'
  const first = items[0] ?? null
  const keys = isJsonObject(first) ? ` with ${Object.keys(first).slice(0, 8).join(', ')}` : ''
  const ends = items.length === 1 ? clip(first, 80) : `first ${clip(first, 80)}, last ${clip(items.at(-1) ?? null, 80)}`
  return clipText(`${items.length} ${items.length === 1 ? 'item' : 'items'}${keys}: ${ends}`, longest)
}

function summariseObject(object: { readonly [key: string]: Json }): string {
  const shown: string[] = []
  let left = 0
  let length = 0
  for (const [key, value] of Object.entries(object)) {
    const member = typeof value === 'object' && value !== null ? null : `${key}: ${clip(value, 60)}`
    if (member === null || length + member.length > longest - 30) left++
    else {
      shown.push(member)
      length += member.length + 2
    }
  }
  const rest = left === 0 ? '' : `${shown.length === 0 ? '' : ', '}${left} more ${left === 1 ? 'field' : 'fields'}`
  return `${shown.join(', ')}${rest}` || 'Empty object.'
}

function clip(value: Json, length: number): string {
  return clipText(typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value), length)
}

function clipText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
