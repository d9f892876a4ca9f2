import type { Json } from '@fairlead/runtime/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStartedWith, startedWithJson, type StartedWith } from './started-with.ts'

const common = {
  data: fc.option(fc.string()),
  offline: fc.boolean(),
  model: fc.option(fc.string()),
  principal: fc.oneof(fc.record({ id: fc.string() }), fc.record({ id: fc.string(), roles: fc.array(fc.string()) })),
  environment: fc.string(),
}

const startedWith: fc.Arbitrary<StartedWith> = fc.oneof(
  fc.record({ ...common, config: fc.string(), example: fc.constant(null) }),
  fc.record({ ...common, config: fc.constant(null), example: fc.string() }),
)

describe('startedWith', () => {
  it('comes back from the record as it went in', () => {
    fc.assert(
      fc.property(startedWith, (value) => {
        const stored = JSON.parse(JSON.stringify(startedWithJson(value))) as Json
        expect(readStartedWith(stored)).toEqual(value)
      }),
    )
  })

  it('is unknown for anything this command did not write', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readStartedWith(value as Json)).toBeUndefined()
      }),
    )
  })

  it('is unknown when it names two configurations or none', () => {
    const base = { data: null, offline: true, principal: { id: 'ann' }, environment: 'dev' }
    expect(readStartedWith({ ...base, config: '/a.ts', example: 'a' })).toBeUndefined()
    expect(readStartedWith({ ...base, config: null, example: null })).toBeUndefined()
    expect(readStartedWith({ ...base, config: '/a.ts', example: null, principal: { id: 1 } })).toBeUndefined()
  })
})
