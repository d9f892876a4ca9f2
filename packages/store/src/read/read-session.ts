import { isJsonObject } from '@fairlead/runtime/core'
import type { Message, SessionRecord } from '@fairlead/runtime/core'
import type { Kysely } from 'kysely'
import type { StoreTables } from '../schema/store-tables.ts'
import { damaged, integerFrom, parseRecord } from './record-shape.ts'
import type { ShapeOf } from './record-shape.ts'

const messageShape = {
  role: ['system', 'user', 'assistant', 'tool'],
  parts: 'list',
} satisfies ShapeOf<Message>

/** The conversation of this id with all its messages, as of one moment, or `undefined`. */
export async function readSession(database: Kysely<StoreTables>, id: string): Promise<SessionRecord | undefined> {
  const { session, messages } = await database.transaction().execute(async (transaction) => ({
    session: await transaction.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst(),
    messages: await transaction
      .selectFrom('messages')
      .select(['position', 'message'])
      .where('session_id', '=', id)
      .orderBy('position')
      .execute(),
  }))
  if (session === undefined) return undefined
  const place = { table: 'sessions', id }
  if (session.message_count !== messages.length) {
    throw damaged(place, `${session.message_count} messages were expected, ${messages.length} found`)
  }
  return {
    id,
    createdAt: integerFrom(place, session.created_at),
    messages: messages.map((row) => messageFrom(`${id}/${row.position}`, row.message)),
  }
}

function messageFrom(id: string, text: unknown): Message {
  const place = { table: 'messages', id }
  const message = parseRecord(place, text, messageShape)
  const parts: readonly unknown[] = Array.isArray(message['parts']) ? message['parts'] : []
  if (!parts.every((part) => isJsonObject(part) && typeof part['kind'] === 'string')) {
    throw damaged(place, 'a part has no kind')
  }
  // Role and parts were checked above.
  return message as Message
}
