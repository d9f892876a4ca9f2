import { expect, it } from 'vitest'
import { relativeTime } from './relative-time.ts'

it.each([
  [0, 'now'],
  [400, 'in 1 s'],
  [29_000, 'in 29 s'],
  [60_000, 'in 1 min'],
  [90 * 60_000, 'in 2 h'],
  [86_399_000, 'in 24 h'],
  [86_400_000, 'in 24 h'],
  [3 * 86_400_000, 'in 3 days'],
])('%i ms away is %s', (away, text) => expect(relativeTime(1000 + away, 1000)).toBe(text))
