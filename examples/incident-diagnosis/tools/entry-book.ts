import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ToolError } from '@fairlead/runtime'
import type { z } from 'zod'
import { openRegularFile, readRegularFile } from '../files/index.ts'

const mostBytes = 64_000_000

/** What every entry of a book has. */
export type BookEntry = { readonly id: string; readonly idempotencyKey: string }

/** What came of an entry: one of this key existed already, or it was written now. */
export type Filing<TEntry> = { readonly kind: 'created' | 'existing'; readonly entry: TEntry }

/** A file of entries, one JSON object a line, only ever appended to. */
export interface EntryBook<TEntry extends BookEntry> {
  /**
   * Writes an entry once per idempotency key. When it resolves, the line is on disk. Throws `UNAVAILABLE` where the file
   * is no regular one, cannot be read or written, or has grown past 64 MB; nothing was written then.
   */
  file(draft: Omit<TEntry, 'id'>): Promise<Filing<TEntry>>
}

/** A book's file, the form of its entries, and how their ids begin. */
export type BookOptions<TEntry extends BookEntry> = {
  readonly file: string
  readonly schema: z.ZodType<TEntry>
  readonly idPrefix: string
}

/**
 * Opens a book on a file, which need not exist. Filings of one book run one after another. Two processes may append
 * at the same time, but one key must not be filed by two of them at once: the caller's journal sees to that.
 */
export function entryBook<TEntry extends BookEntry>(options: BookOptions<TEntry>): EntryBook<TEntry> {
  let last: Promise<unknown> = Promise.resolve()
  return {
    file(draft) {
      const filing = last.then(() => fileOnce(options, draft))
      last = filing.catch(() => undefined)
      return filing
    },
  }
}

/** The id of an entry: a function of its idempotency key, so that a repeated filing names the same one. */
export function entryIdOf(idPrefix: string, idempotencyKey: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const digest = createHash('sha256').update(idempotencyKey).digest()
  return `${idPrefix}-${Array.from(digest.subarray(0, 6), (byte) => alphabet[byte % 32]).join('')}`
}

async function fileOnce<TEntry extends BookEntry>(
  { file, schema, idPrefix }: BookOptions<TEntry>,
  draft: Omit<TEntry, 'id'>,
): Promise<Filing<TEntry>> {
  await mkdir(dirname(file), { recursive: true })
  const text = await readBook(file)
  const existing = entriesIn(text, schema).find((entry) => entry.idempotencyKey === draft.idempotencyKey)
  if (existing !== undefined) return { kind: 'existing', entry: existing }
  const entry = schema.parse({ id: entryIdOf(idPrefix, draft.idempotencyKey), ...draft })
  // A crash may have left half a line; it is closed first so that it cannot swallow this one.
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  await appendDurably(file, `${gap}${JSON.stringify(entry)}\n`)
  return { kind: 'created', entry }
}

async function readBook(file: string): Promise<string> {
  const reading = await readRegularFile(file, mostBytes)
  switch (reading.kind) {
    case 'text':
      return reading.text
    case 'missing':
      return ''
    case 'refused':
      throw unusable(file, reading.found)
    default:
      return reading satisfies never
  }
}

function unusable(file: string, found: string): ToolError {
  return new ToolError(
    'UNAVAILABLE',
    `Nothing was written to ${basename(file)}: expected a file of at most 64 MB that can be appended to, found ${found}. Whoever runs this agent must mend that; do not repeat the call.`,
  )
}

function entriesIn<TEntry>(text: string, schema: z.ZodType<TEntry>): readonly TEntry[] {
  return text.split('\n').flatMap((line) => {
    const parsed = schema.safeParse(parseLine(line))
    return parsed.success ? [parsed.data] : []
  })
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

async function appendDurably(file: string, text: string): Promise<void> {
  const opening = await openRegularFile(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT)
  if (opening.kind !== 'open') throw unusable(file, opening.kind === 'missing' ? 'no folder for it' : opening.found)
  const { handle } = opening
  try {
    await handle.appendFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
