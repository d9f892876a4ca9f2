import { conversationVersion, decodeConversation, encodeConversation } from '../content/conversation-json.ts'
import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import type { SessionRecord } from '../ports/journal.ts'

/** Version of the JSON form of a conversation's state. A reader refuses another one rather than guess. */
const sessionVersion = 1

/**
 * A conversation as plain JSON, for keeping or sending it anywhere. Holds what was said and nothing that lives: no tools,
 * services, functions or secrets of the agent. What tools returned is in it as the model saw it.
 */
export type SessionJson = {
  readonly schemaVersion: number
  readonly id: string
  /** Milliseconds since the epoch; `null` when nothing of it was written yet. */
  readonly createdAt: number | null
  /** Version of the form of `messages`. */
  readonly conversationVersion: number
  readonly messages: readonly Message[]
}

/** The JSON of a stored conversation (`undefined`: nothing of it is stored). A copy through and through. */
export function encodeSession(id: string, stored: SessionRecord | undefined): SessionJson {
  const { version, messages } = encodeConversation(stored?.messages ?? [])
  return copyOf({
    schemaVersion: sessionVersion,
    id,
    createdAt: stored?.createdAt ?? null,
    conversationVersion: version,
    messages,
  })
}

/**
 * Reads what `encodeSession` made, as a value or as its JSON text; members nobody here knows are left out. The result
 * is a copy. Throws `INVALID_MESSAGE` naming the place, what was expected and what was found.
 */
export function decodeSession(given: unknown): SessionJson {
  const value = plainJson(given)
  if (!isJsonObject(value)) throw invalid(`expected {schemaVersion, id, createdAt, messages}, found ${named(value)}`)
  const { schemaVersion, id, createdAt, messages } = value
  if (schemaVersion !== sessionVersion) {
    throw invalid(
      `expected schemaVersion ${sessionVersion}, found ${named(schemaVersion)}; restore it with a Fairlead that knows it`,
    )
  }
  if (typeof id !== 'string' || id === '') throw invalid(`id: expected a text, found ${named(id)}`)
  if (createdAt !== null && !isTime(createdAt)) {
    throw invalid(`createdAt: expected whole milliseconds since the epoch or null, found ${named(createdAt)}`)
  }
  const version = value['conversationVersion']
  return {
    schemaVersion,
    id,
    createdAt,
    conversationVersion,
    messages: decodeConversation({ version: version ?? null, messages: messages ?? null }),
  }
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function plainJson(given: unknown): Json {
  try {
    return copyOf((typeof given === 'string' ? JSON.parse(given) : given) as Json)
  } catch {
    // What the parser says quotes the text, which may hold anything.
    const found = typeof given === 'string' ? `a text of ${given.length} characters` : `a value`
    throw invalid(`expected JSON, found ${found} that is none`)
  }
}

/** Through text: what is kept shares nothing with what was given, and is JSON whatever that was. */
function copyOf<T extends Json | SessionJson>(value: T): T {
  const text: string | undefined = JSON.stringify(value)
  // JSON knows only the members the type names; a value JSON leaves out altogether is no object.
  return (text === undefined ? null : JSON.parse(text)) as T
}

function named(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`
}

function invalid(what: string): FairleadError {
  return new FairleadError('INVALID_MESSAGE', `Not a serialised session: ${what}.`)
}
