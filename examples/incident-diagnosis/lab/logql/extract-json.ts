import { labelValue, makeLabels } from '../metrics/labels.ts'
import type { LabelEntry, Labels } from '../metrics/labels.ts'

/** The label that says why a stage could not do its work; lines with it stay in a log query and fail a metric query. */
export const errorLabel = '__error__'

/**
 * The stage `| json`: every text, number and truth value of a line's JSON object becomes a label, nested names joined by `_`.
 *
 * As in Loki lists and nulls are left out, characters that no label has become `_`, a name the stream has already gets the ending
 * `_extracted`, and a line that is no JSON object gets the label `__error__="JSONParserErr"`.
 */
export function extractJson(line: string, labels: Labels): Labels {
  const value = parseLine(line)
  if (!isRecord(value)) return withEntries(labels, [[errorLabel, 'JSONParserErr']])
  const found = new Map<string, string>()
  for (const [name, text] of flatten(value, '')) {
    // Of two properties that become one name Loki keeps the first.
    const own = labelValue(labels, name) === '' ? name : `${name}_extracted`
    if (!found.has(own)) found.set(own, text)
  }
  return withEntries(labels, [...found])
}

/** A label set with more labels, which replace those of the same name. */
export function withEntries(labels: Labels, added: readonly LabelEntry[]): Labels {
  const names = new Set(added.map(([name]) => name))
  return makeLabels([...labels.entries.filter(([name]) => !names.has(name)), ...added])
}

type JsonObject = Readonly<Record<string, unknown>>

function flatten(value: JsonObject, prefix: string): readonly LabelEntry[] {
  return Object.entries(value).flatMap(([key, part]): readonly LabelEntry[] => {
    const name = prefix === '' ? labelName(key) : `${prefix}_${labelName(key, false)}`
    if (isRecord(part)) return flatten(part, name)
    return typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean'
      ? [[name, String(part)]]
      : []
  })
}

function labelName(key: string, first = true): string {
  const name = key.trim().replaceAll(/[^A-Za-z0-9_]/g, '_')
  return first && /^\d/.test(name) ? `_${name}` : name
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
