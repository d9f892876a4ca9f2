import { describe, expect, it } from 'vitest'
import { factOf, particularsOf, reasonGiven } from './failure-words.ts'

const denied = (said: string) => `APPROVAL_DENIED: ${said}A person refused this call. Do not repeat it.`

describe('the words of a failed call', () => {
  it.each([
    ['Reason given: not today\n', 'not today'],
    ['Reason given: not today,\nask bo  first\n', 'not today, ask bo first'],
    ['Reason given: \n', null],
    ['', null],
  ])('give the reason of a person who said %j', (said, reason) => {
    expect(reasonGiven('APPROVAL_DENIED', denied(said))).toBe(reason)
  })

  it('give the reason when no sentence for a model follows', () => {
    expect(reasonGiven('APPROVAL_DENIED', 'APPROVAL_DENIED: Reason given: not now')).toBe('not now')
  })

  it('give the fact without the advice for a model', () => {
    const words = 'BAD_DATA: pods.json cannot be read: found {}.\nGo on without it.\nThe tool reported this error.'
    expect(factOf('BAD_DATA', words)).toBe('pods.json cannot be read: found {}')
    expect(particularsOf('BAD_DATA', words)).toContain('Go on without it.')
  })

  it('have no fact when there is only the sentence for a model', () => {
    expect(factOf('TIMEOUT', 'TIMEOUT: The tool did not finish in time.')).toBe('')
  })
})
