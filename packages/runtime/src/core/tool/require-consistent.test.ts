import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tool, withContract, type Tool, type ToolContract } from '../index.ts'

const made = (options: object = {}): Tool =>
  tool({ name: 'touch', description: 'x', inputSchema: z.object({}), execute: () => 1, ...options })

const invalid = (...words: readonly string[]): unknown =>
  expect.objectContaining({
    code: 'INVALID_TOOL',
    message: expect.stringMatching(new RegExp(words.join('.*'), 's')),
  })

describe('a tool that contradicts itself', () => {
  it.each(['write', 'destructive'])('effects %s with class readOnly is refused, saying what to do', (effects) => {
    expect(() => made({ effects, class: 'readOnly' })).toThrow(
      invalid(
        'Tool "touch"',
        'class "readOnly" is for tools with effects "read"',
        `found effects "${effects}"`,
        'Leave',
      ),
    )
  })

  it('class queryable without reconcile is refused, with one it is not', () => {
    expect(() => made({ effects: 'write', class: 'queryable' })).toThrow(
      invalid('class "queryable" needs reconcile', 'found none', 'Add reconcile'),
    )
    expect(made({ effects: 'write', class: 'queryable', reconcile: () => null }).contract.class).toBe('queryable')
  })

  it.each<readonly [string, object, Partial<ToolContract>]>([
    ['a writer made readOnly', { effects: 'write' }, { class: 'readOnly' }],
    ['a reader made a writer that stays readOnly', { effects: 'read' }, { effects: 'write', class: 'readOnly' }],
    ['a tool without reconcile made queryable', { effects: 'write' }, { class: 'queryable' }],
  ])('%s: no copy, even where an operator vouches', (_, options, changes) => {
    expect(() => withContract(made(options), changes, { operator: true })).toThrow(invalid('Tool "touch": class'))
  })

  it('a reader whose copy has worse effects is no longer readOnly', () => {
    for (const effects of ['write', 'destructive', 'unknown'] as const) {
      const copy = withContract(made({ effects: 'read' }), { effects })
      expect(copy.contract).toMatchObject({ effects, class: 'nonIdempotent', loosened: [] })
    }
    const kept = withContract(made({ effects: 'read', class: 'idempotencyKey' }), { effects: 'write' })
    expect(kept.contract.class).toBe('idempotencyKey')
    expect(withContract(made({ effects: 'read' }), { risk: 'high' }).contract.class).toBe('readOnly')
  })

  it('a tool with reconcile may be made queryable by an operator', () => {
    const asked = made({ effects: 'write', reconcile: () => null })
    expect(withContract(asked, { class: 'queryable' }, { operator: true }).contract).toMatchObject({
      class: 'queryable',
      loosened: ['class'],
    })
  })
})
