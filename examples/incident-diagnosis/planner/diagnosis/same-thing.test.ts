import { expect, it } from 'vitest'
import { componentsIn, speaksOf } from './same-thing.ts'

it.each([
  ['lower the ledger-client timeout', 'ledger-service', true],
  ['LedgerClient: retry', 'ledger-service', true],
  ['calls to Ledger', 'ledger-service', true],
  ['stock_cache gateway', 'stock-cache-service', true],
  ['use the general ledgers', 'ledger-service', false],
  ['preledger', 'ledger-service', false],
  ['any text', 'db-service', false],
  ['db-service moved', 'db-service', true],
  ['a+b', 'a+b', true],
])('%j speaks of %s: %s', (text, component, expected) => {
  expect(speaksOf(text, component)).toBe(expected)
})

it('finds compound names', () => {
  expect(componentsIn('ledger-client timeout in LedgerClient, ledger-client, Timeout')).toEqual([
    'ledger-client',
    'LedgerClient',
  ])
})

it.each(['ledger-client time-out', 'ledger-client request_id=7 order-id', 'read-only ledger-client, non-fatal'])(
  'takes ordinary words in %j for no component',
  (text) => {
    expect(componentsIn(text)).toEqual(['ledger-client'])
  },
)

it('keeps components that begin like ordinary words', () => {
  expect(componentsIn('read-replica and time-series-db')).toEqual(['read-replica', 'time-series-db'])
})
