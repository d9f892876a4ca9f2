import { describe, expect, it } from 'vitest'
import { whenOption } from './when.ts'

const now = Date.UTC(2026, 0, 1)

describe('whenOption', () => {
  it.each([
    ['30m', 30 * 60_000],
    ['8h', 8 * 3_600_000],
    ['7d', 7 * 86_400_000],
    ['2026-01-01T01:00:00Z', 3_600_000],
    ['2026-01-01T03:00:00.5+02:00', 3_600_500],
  ])('reads %s', (text, later) => {
    expect(whenOption('--expires', text, now)).toBe(now + later)
  })

  it.each([
    ['', 'expects a duration'],
    ['7', 'expects a duration'],
    ['-7d', 'expects a duration'],
    ['1.5h', 'expects a duration'],
    ['7 d', 'expects a duration'],
    ['tomorrow', 'expects a duration'],
    ['2026-01-02', 'expects a duration'],
    ['2026-01-02T00:00:00', 'expects a duration'],
    ['2026-13-02T00:00:00Z', 'expects a duration'],
    ['2026-02-30T00:00:00Z', 'expects a duration'],
    ['99999999999999d', 'expects a duration'],
    ['0m', 'expects a time to come'],
    ['2025-12-31T23:59:59Z', 'expects a time to come'],
  ])('refuses "%s"', (text, because) => {
    expect(() => whenOption('--expires', text, now)).toThrow(because)
  })
})
