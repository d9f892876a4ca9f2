import { describe, expect, it } from 'vitest'
import { generateIncident, randomIncident } from './index.ts'
import { isoTime } from './iso-time.ts'

describe('a random incident', () => {
  it('has every trouble once in ten, and gives the same files for the same seed', () => {
    const ten = Array.from({ length: 10 }, (_, index) => randomIncident(5, index))
    expect(new Set(ten.map(({ kind }) => kind)).size).toBe(10)
    const [first] = ten
    expect(first).toEqual(randomIncident(5, 0))
    expect(randomIncident(6, 0)).not.toEqual(first)
    if (first === undefined) throw new Error('there is no incident')
    expect(generateIncident(first)).toEqual(generateIncident(randomIncident(5, 0)))
  })

  it('leaves out the files it is told to', () => {
    const whole = { ...randomIncident(5, 0), missingFiles: [] }
    const names = (missingFiles: readonly string[]) => [...generateIncident({ ...whole, missingFiles }).keys()]
    expect(names(['pods.json', 'runbooks'])).toEqual(['metrics.om', 'logs.jsonl', 'deployments.json', 'alerts.json'])
    expect(names([])).toHaveLength(9)
  })

  it('states the same moments in any zone', () => {
    const whole = { ...randomIncident(5, 3), missingFiles: [] }
    const startOf = (utcOffsetMinutes: number) => {
      const text = generateIncident({ ...whole, utcOffsetMinutes }).get('alerts.json') ?? ''
      return /"startedAt": "([^"]+)"/.exec(text)?.[1] ?? ''
    }
    expect(startOf(330)).toMatch(/\+05:30$/)
    expect(Date.parse(startOf(330))).toBe(Date.parse(startOf(0)))
  })
})

describe('isoTime', () => {
  it.each([
    [0, '2027-01-15T08:00:00.5Z'],
    [330, '2027-01-15T13:30:00.5+05:30'],
    [-480, '2027-01-15T00:00:00.5-08:00'],
  ])('states a time %i minutes from UTC', (offset, text) => {
    expect(isoTime(1_800_000_000, offset, '.5')).toBe(text)
  })
})
