import type { RuleStore, StandingRule } from '@fairlead/runtime/core'
import type { Kysely, Selectable } from 'kysely'
import type { StandingRulesTable, StoreTables } from '../schema/store-tables.ts'
import { damaged, integerFrom, parseJson, parseRecord } from './record-shape.ts'
import type { RowPlace, ShapeOf } from './record-shape.ts'

const ruleShape = {
  id: 'text',
  tool: 'text',
  origin: 'text',
  owner: 'text-or-null',
  arguments: 'object-or-null',
  askedBy: 'text',
  scope: 'object',
  createdAt: 'number',
  createdBy: 'text',
  approvalId: 'text',
  expiresAt: 'number-or-null',
} satisfies ShapeOf<Omit<StandingRule, 'revokedAt' | 'revokedBy'>>

/** The standing rule of this id with its revocation, or `undefined`. */
export async function readRule(database: Kysely<StoreTables>, id: string): Promise<StandingRule | undefined> {
  const row = await database.selectFrom('standing_rules').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : ruleFrom(row)
}

/** Standing rules, oldest first; those of the same millisecond in the order of their arrival. */
export async function readRules(
  database: Kysely<StoreTables>,
  filter: Parameters<RuleStore['list']>[0] = {},
): Promise<readonly StandingRule[]> {
  let query = database.selectFrom('standing_rules').selectAll().orderBy('position')
  if (filter.tool !== undefined) query = query.where('tool', '=', filter.tool)
  const rows = await query.execute()
  return rows.map(ruleFrom).sort((one, other) => one.createdAt - other.createdAt)
}

function ruleFrom(row: Selectable<StandingRulesTable>): StandingRule {
  const place = { table: 'standing_rules', id: row.id }
  const record = parseRecord(place, row.record, ruleShape)
  if (record['tool'] !== row.tool) throw damaged(place, `its tool is "${row.tool}" in one column and not in the other`)
  const revokedAt = row.revoked_at === null ? null : integerFrom(place, row.revoked_at)
  // The shape was checked member by member above.
  return { ...(record as StandingRule), revokedAt, revokedBy: revokedByFrom(place, row.revoked_by) }
}

function revokedByFrom(place: RowPlace, text: string | null): string | null {
  if (text === null) return null
  const name = parseJson(place, text)
  if (typeof name !== 'string') throw damaged(place, 'who revoked it is no text')
  return name
}
