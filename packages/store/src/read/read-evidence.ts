import type { CallId, Evidence, Json } from '@fairlead/runtime/core'
import type { Kysely } from 'kysely'
import type { StoreTables } from '../schema/store-tables.ts'
import { integerFrom, parseJson } from './record-shape.ts'

/** The full result kept under this URI, or `undefined`. */
export async function readEvidence(database: Kysely<StoreTables>, uri: string): Promise<Evidence | undefined> {
  const row = await database.selectFrom('evidence').selectAll().where('uri', '=', uri).executeTakeFirst()
  if (row === undefined) return undefined
  const place = { table: 'evidence', id: uri }
  return {
    uri,
    runId: row.run_id,
    // Written from a call id, and what JSON.parse gives is JSON.
    callId: row.call_id as CallId,
    value: parseJson(place, row.value) as Json,
    at: integerFrom(place, row.at),
  }
}
