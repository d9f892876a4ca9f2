import { describe, expect, it } from 'vitest'
import { exitCode } from './exit.ts'
import { parsePrincipal } from './principal.ts'

describe('parsePrincipal', () => {
  it('reads an id, with and without roles', () => {
    expect(parsePrincipal('ann')).toEqual({ id: 'ann' })
    expect(parsePrincipal('ann:sre, on-call')).toEqual({ id: 'ann', roles: ['sre', 'on-call'] })
  })

  it.each(['', ':sre', 'ann:', 'ann:sre,,admin'])('refuses %j as a usage failure', (text) => {
    expect(() => parsePrincipal(text)).toThrowError(expect.objectContaining({ exit: exitCode.usage }))
  })
})
