import { createHash } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { errorCodeOf } from '../sources/index.ts'

const ticketSchema = z.object({
  id: z.string(),
  idempotencyKey: z.string(),
  createdAt: z.string(),
  title: z.string(),
  service: z.string(),
  severity: z.string(),
  summary: z.string(),
  suspectedCause: z.string(),
  evidence: z.array(z.string()),
  createdFor: z.string(),
})

/** One incident ticket, one line of the book. */
export type Ticket = z.output<typeof ticketSchema>

/** What came of filing: a ticket of this key existed already, or it was written now. */
export type Filing = { readonly kind: 'created' | 'existing'; readonly ticket: Ticket }

/** A file of tickets, one JSON object a line, only ever appended to. */
export interface TicketBook {
  /** Files a ticket once per idempotency key. When it resolves, the line is on disk. */
  file(ticket: Omit<Ticket, 'id'>): Promise<Filing>
}

/**
 * Opens a book on a file, which need not exist. Filings of one book run one after another. Two processes may append
 * at the same time, but one key must not be filed by two of them at once: the caller's journal sees to that.
 */
export function ticketBook(file: string): TicketBook {
  let last: Promise<unknown> = Promise.resolve()
  return {
    file(draft) {
      const filing = last.then(() => fileOnce(file, draft))
      last = filing.catch(() => undefined)
      return filing
    },
  }
}

/** The id of a ticket: a function of its idempotency key, so that a repeated filing names the same one. */
export function ticketIdOf(idempotencyKey: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const digest = createHash('sha256').update(idempotencyKey).digest()
  return `INC-${Array.from(digest.subarray(0, 6), (byte) => alphabet[byte % 32]).join('')}`
}

async function fileOnce(file: string, draft: Omit<Ticket, 'id'>): Promise<Filing> {
  await mkdir(dirname(file), { recursive: true })
  const text = await readBook(file)
  const existing = ticketsIn(text).find((ticket) => ticket.idempotencyKey === draft.idempotencyKey)
  if (existing !== undefined) return { kind: 'existing', ticket: existing }
  const ticket: Ticket = { id: ticketIdOf(draft.idempotencyKey), ...draft }
  // A crash may have left half a line; it is closed first so that it cannot swallow this one.
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  await appendDurably(file, `${gap}${JSON.stringify(ticket)}\n`)
  return { kind: 'created', ticket }
}

async function readBook(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return ''
    throw error
  }
}

function ticketsIn(text: string): readonly Ticket[] {
  return text.split('\n').flatMap((line) => {
    const parsed = ticketSchema.safeParse(parseLine(line))
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
  const handle = await open(file, 'a')
  try {
    await handle.appendFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
