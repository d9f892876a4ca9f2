import { deepStrictEqual } from 'node:assert/strict'
import type { JournalEntry, Store } from '../core/index.ts'
import { refuses, storeCase } from './store-contract-case.ts'
import type { StoreContractCase } from './store-contract-case.ts'
import { sampleRule } from './store-records.ts'

const added: JournalEntry = { kind: 'rule-added', rule: sampleRule() }
const revoked: JournalEntry = { kind: 'rule-revoked', id: 'rule_sample', by: 'ben', at: 77 }

async function idsOf(store: Store, filter?: Parameters<Store['rules']['list']>[0]): Promise<readonly string[]> {
  return (await store.rules.list(filter)).map((rule) => rule.id)
}

/** What every store does with standing rules. */
export const ruleCases: readonly StoreContractCase[] = [
  storeCase('a rule that was never added is undefined', async (store) => {
    deepStrictEqual(await store.rules.get('rule_nobody'), undefined)
    deepStrictEqual(await store.rules.list(), [])
    deepStrictEqual(await store.rules.list({ tool: 'restart_service' }), [])
  }),
  storeCase('an added rule comes back as it was given, whatever it is bound to', async (store) => {
    const rules = [
      sampleRule(),
      sampleRule({ id: 'rule_none', arguments: {} }),
      sampleRule({ id: 'rule_deep', arguments: { 'ü\u0000': [null, { deep: 1e21 }, '\ud83c'] }, expiresAt: 9 }),
      sampleRule({ id: 'rule_user', scope: { kind: 'user', principalId: 'b\u0000n' }, owner: 'team', origin: 'mcp:x' }),
      sampleRule({ id: 'rule_over', revokedAt: 8, revokedBy: 'ann' }),
    ]
    await store.journal.append(rules.map((rule): JournalEntry => ({ kind: 'rule-added', rule })))
    for (const rule of rules) deepStrictEqual(await store.rules.get(rule.id), rule)
    deepStrictEqual(await store.rules.list(), rules)
  }),
  storeCase('a rule is added once, also after it was revoked', async (store) => {
    await refuses(store, 'rule-added', [added, added])
    deepStrictEqual(await store.rules.list(), [])
    await store.journal.append([added])
    await refuses(store, 'rule-added', [{ kind: 'rule-added', rule: sampleRule({ tool: 'another' }) }])
    await store.journal.append([revoked])
    await refuses(store, 'rule-added', [added])
    deepStrictEqual(await store.rules.list(), [sampleRule({ revokedAt: 77, revokedBy: 'ben' })])
  }),
  storeCase('a rule is revoked once, and only one that exists', async (store) => {
    await refuses(store, 'rule-revoked', [revoked])
    await store.journal.append([added])
    await store.journal.append([revoked])
    await refuses(store, 'rule-revoked', [{ ...revoked, by: 'cem', at: 78 }])
    deepStrictEqual(await store.rules.get('rule_sample'), sampleRule({ revokedAt: 77, revokedBy: 'ben' }))
    const over = sampleRule({ id: 'rule_over', revokedAt: 8, revokedBy: 'ann' })
    await store.journal.append([{ kind: 'rule-added', rule: over }])
    await refuses(store, 'rule-revoked', [{ ...revoked, id: 'rule_over' }])
  }),
  storeCase('who revoked a rule may have any name', async (store) => {
    for (const [index, by] of ['', 'b\u0000n', 'cut \ud83c', 'null', '"ann"'].entries()) {
      const rule = sampleRule({ id: `rule_${index}` })
      await store.journal.append([
        { kind: 'rule-added', rule },
        { kind: 'rule-revoked', id: rule.id, by, at: 0 },
      ])
      deepStrictEqual(await store.rules.get(rule.id), { ...rule, revokedAt: 0, revokedBy: by })
    }
  }),
  storeCase('of many who revoke a rule at once exactly one wins', async (store) => {
    await store.journal.append([added])
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => store.journal.append([{ ...revoked, by: `person ${index}` }])),
    )
    deepStrictEqual(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1)
    const winner = outcomes.findIndex((outcome) => outcome.status === 'fulfilled')
    deepStrictEqual((await store.rules.get('rule_sample'))?.revokedBy, `person ${winner}`)
  }),
  storeCase('rules are listed oldest first and filtered by tool, those that count no more included', async (store) => {
    const rules = [
      sampleRule({ id: 'rule_z', createdAt: 30 }),
      sampleRule({ id: 'rule_y', createdAt: 10, tool: 'delete_service' }),
      sampleRule({ id: 'rule_b', createdAt: 20, expiresAt: 21 }),
      sampleRule({ id: 'rule_a', createdAt: 20 }),
    ]
    for (const rule of rules) await store.journal.append([{ kind: 'rule-added', rule }])
    await store.journal.append([{ ...revoked, id: 'rule_a' }])
    deepStrictEqual(await idsOf(store), ['rule_y', 'rule_b', 'rule_a', 'rule_z'])
    deepStrictEqual(await idsOf(store, {}), ['rule_y', 'rule_b', 'rule_a', 'rule_z'])
    deepStrictEqual(await idsOf(store, { tool: 'restart_service' }), ['rule_b', 'rule_a', 'rule_z'])
    deepStrictEqual(await idsOf(store, { tool: 'delete_service' }), ['rule_y'])
    for (const tool of ['', 'restart', 'RESTART_SERVICE', '%', 'cut\u0000here', 'half \ud800']) {
      deepStrictEqual(await idsOf(store, { tool }), [])
    }
  }),
  storeCase('a rule that was read does not change afterwards', async (store) => {
    await store.journal.append([added])
    const before = await store.rules.list()
    await store.journal.append([revoked])
    deepStrictEqual(before, [sampleRule()])
  }),
  storeCase('rules survive reopening, revoked or not', async (store, { reopen }) => {
    const other = sampleRule({ id: 'rule_other', arguments: { service: 'billing' } })
    await store.journal.append([added, { kind: 'rule-added', rule: other }, revoked])
    const expected = [sampleRule({ revokedAt: 77, revokedBy: 'ben' }), other]
    deepStrictEqual(await store.rules.list(), expected)
    if (reopen === undefined) return
    await store.close()
    const reopened = await reopen()
    try {
      deepStrictEqual(await reopened.rules.list(), expected)
      await refuses(reopened, 'rule-revoked', [revoked])
      await reopened.journal.append([{ ...revoked, id: 'rule_other' }])
    } finally {
      await reopened.close()
    }
  }),
]
