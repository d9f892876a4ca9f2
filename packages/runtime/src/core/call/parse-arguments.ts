import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { deepFreeze } from '../json/deep-freeze.ts'
import type { SchemaReader, SchemaVerdict } from '../schema/read-schema.ts'
import type { SchemaIssue } from '../schema/schema-issue.ts'

/** Arguments as every later stage sees them, or why they cannot be used. */
export type ParsedArguments =
  | { readonly kind: 'valid'; readonly value: JsonObject }
  | { readonly kind: 'invalid'; readonly issues: readonly SchemaIssue[] }

/** A schema that throws has checked nothing. */
export const unchecked: ParsedArguments = {
  kind: 'invalid',
  issues: [{ path: '', message: 'the schema of this tool could not check them' }],
}

/** Longest accepted argument text, in UTF-16 units, and deepest nesting: far beyond any honest call. */
const argumentBudget = { textLength: 1_000_000, depth: 100 } as const

/**
 * Turns the model's text into frozen, validated arguments. Nothing is coerced or repaired: text that is not one JSON
 * object is refused with what was found. An empty text counts as `{}`, which the schema then judges.
 */
export function parseArguments(text: string, schema: SchemaReader): ParsedArguments | Promise<ParsedArguments> {
  const parsed = parseObject(text)
  if (parsed.kind === 'invalid') return parsed
  const verdict = schema.check(parsed.value)
  return verdict instanceof Promise ? verdict.then(freezeVerdict) : freezeVerdict(verdict)
}

function freezeVerdict(verdict: SchemaVerdict): ParsedArguments {
  if (verdict.kind === 'invalid') return verdict
  return isJsonObject(verdict.value)
    ? { kind: 'valid', value: deepFreeze(verdict.value) }
    : invalid('the schema turned the arguments into something that is not an object')
}

function parseObject(text: string): ParsedArguments {
  if (text.length > argumentBudget.textLength) {
    return invalid(`expected at most ${argumentBudget.textLength} characters; found ${text.length}`)
  }
  const trimmed = text.trim()
  if (trimmed === '') return { kind: 'valid', value: {} }
  let value: Json
  try {
    value = JSON.parse(trimmed) as Json
  } catch (error) {
    return invalid(`expected one JSON object; found ${describeBadText(trimmed, error)}`)
  }
  if (!isJsonObject(value)) return invalid(`expected a JSON object; found ${nameOf(value)}`)
  if (isDeeperThan(value, argumentBudget.depth)) {
    return invalid(`expected at most ${argumentBudget.depth} levels of nesting; found more`)
  }
  return { kind: 'valid', value }
}

function invalid(message: string): ParsedArguments {
  return { kind: 'invalid', issues: [{ path: '', message }] }
}

function describeBadText(text: string, error: unknown): string {
  if (text.startsWith('```')) return 'a Markdown code fence: send the bare JSON object'
  // The engine's text names a position; the rest of it varies and may quote the input.
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  if (position === undefined || Number(position) >= text.length) return 'text that ends before the JSON is complete'
  return `text that is not valid JSON at position ${position}`
}

function nameOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

function isDeeperThan(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  for (const member of Object.values(value)) if (isDeeperThan(member, depth - 1)) return true
  return false
}
