import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRfc3339 } from './parse-rfc3339.ts'

describe('parseRfc3339', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['2026-04-29T09:36:00.123456789Z', 1777455360123456789n],
    ['2026-04-29T17:36:00.5+08:00', 1777455360500000000n],
    ['2026-04-29t04:06:00-05:30', 1777455360000000000n],
    ['2024-02-29T23:59:59Z', 1709251199000000000n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
  ])('reads %s exactly', (text, expected) => {
    expect(parseRfc3339(text)).toBe(expected)
  })

  it.each([
    '2026-04-29T09:36:00',
    '2026-04-29 09:36:00Z',
    '2026-02-30T00:00:00Z',
    '2026-04-29T24:00:00Z',
    '2026-04-29T09:36:00.1234567891Z',
    '2026-04-29T09:36:00+0800',
    '2026-04-29',
    'today',
    '',
  ])('refuses %j', (text) => {
    expect(parseRfc3339(text)).toBeUndefined()
  })

  it('agrees with Date to the millisecond', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true }), (date) => {
        expect(parseRfc3339(date.toISOString())).toBe(BigInt(date.getTime()) * 1_000_000n)
      }),
    )
  })
})
