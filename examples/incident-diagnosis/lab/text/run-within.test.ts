import { describe, expect, it } from 'vitest'
import { runWithin } from './run-within.ts'

describe('runWithin', () => {
  it('gives the result of a task', () => {
    expect(runWithin(1000, () => undefined)).toEqual({ kind: 'finished', value: undefined })
  })

  it('passes an exception of the task through', () => {
    const problem = new Error('the task failed')
    expect(() =>
      runWithin(1000, () => {
        throw problem
      }),
    ).toThrow(problem)
  })

  it('stops a pattern that backtracks without end', () => {
    const text = `${'a'.repeat(50)}b`
    expect(runWithin(50, () => /^(?:a+)+$/.test(text))).toEqual({ kind: 'timed-out' })
  })
})
