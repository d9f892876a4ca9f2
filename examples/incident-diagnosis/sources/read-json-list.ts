import type { z } from 'zod'
import { showValue } from '../files/index.ts'
import { badData } from './bad-data.ts'
import { readOptionalFile } from './read-optional-file.ts'
import type { Source } from './source.ts'

/**
 * Reads a JSON list of the data folder, each entry through the schema; unknown fields are dropped.
 * Throws one `BAD_DATA` that names the first wrong entry and field.
 */
export async function readJsonList<TItem>(
  directory: string,
  file: string,
  itemSchema: z.ZodType<TItem>,
): Promise<Source<TItem>> {
  const text = await readOptionalFile(directory, file)
  if (text === null) return { kind: 'missing' }
  const list = parseJson(file, text)
  if (!Array.isArray(list)) throw badData({ file, expected: 'a JSON list', found: showValue(list) })
  return { kind: 'present', items: list.map((entry: unknown, index) => parseEntry(entry, { file, index, itemSchema })) }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badData({ file, expected: 'valid JSON', found: showValue(text, 60) })
  }
}

function parseEntry<TItem>(
  entry: unknown,
  at: { readonly file: string; readonly index: number; readonly itemSchema: z.ZodType<TItem> },
): TItem {
  const parsed = at.itemSchema.safeParse(entry)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const path = issue?.path ?? []
  const field = path.length === 0 ? '' : `, ${path.join('.')}`
  throw badData({
    file: `${at.file}, entry ${at.index + 1}${field}`,
    expected: expectationOf(issue),
    found: showValue(valueAt(entry, path)),
  })
}

function expectationOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'a valid entry'
  return issue.code === 'invalid_type' ? `a value of type ${issue.expected}` : issue.message
}

function valueAt(entry: unknown, path: readonly PropertyKey[]): unknown {
  let value = entry
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value
    value = Reflect.get(value, key)
  }
  return value
}
