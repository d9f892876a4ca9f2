import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readQuotedString } from './read-quoted-string.ts'

describe('readQuotedString', () => {
  it.each([
    ['"a b" rest', 'a b', 5],
    ["'a\"b'", 'a"b', 5],
    ['`a\\n"b`', 'a\\n"b', 7],
    ['"\\n\\t\\\\\\""', '\n\t\\"', 10],
    ['"\\u00e9\\U0001F600"', 'é😀', 18],
    ['"\\xc3\\xa9"', 'é', 10],
    ['"\\101"', 'A', 6],
  ])('reads %s', (text, value, end) => {
    expect(readQuotedString(text, 0)).toEqual({ kind: 'read', value, end })
  })

  it.each([
    ['"abc', 0],
    ['"a\nb"', 0],
    ['`abc', 0],
    ['"a\\qb"', 2],
    ['"\\x4"', 1],
    ['"\\ud800"', 1],
    ['"\\\'"', 1],
  ])('refuses %j at its offset', (text, offset) => {
    expect(readQuotedString(text, 0)).toMatchObject({ kind: 'malformed', offset })
  })

  it('undoes JSON quoting of any well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const quoted = JSON.stringify(value).replaceAll('\\/', '/')
        expect(readQuotedString(quoted, 0)).toEqual({ kind: 'read', value, end: quoted.length })
      }),
    )
  })
})
