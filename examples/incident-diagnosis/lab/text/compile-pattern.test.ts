import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern } from './compile-pattern.ts'
import { runWithin } from './run-within.ts'

function test(pattern: string, text: string, anchored: boolean): boolean | string {
  const compiled = compilePattern(pattern, { anchored })
  return compiled.kind === 'compiled' ? compiled.matches(text) : compiled.problem
}

describe('compilePattern', () => {
  const table: readonly (readonly [pattern: string, text: string, anchored: boolean, expected: boolean])[] = [
    ['a|b', 'ab', true, false],
    ['a|b', 'ab', false, true],
    ['', '', true, true],
    ['a.c', 'a\nc', true, true],
    ['a.c', 'a\nc', false, false],
    ['a.c', 'a\rc', false, true],
    ['.', '😀', true, true],
    ['(?i)TIMEOUT', 'a timeout', false, true],
    ['(?i:PRO).*', 'production', true, true],
    ['(?i:PRO)X', 'prox', true, false],
    ['.*((?i)DUC)tion', 'production', true, true],
    ['((?i)a)b', 'AB', true, false],
    ['(?i)[a-f]+', 'ABCdef', true, true],
    ['(?-s).', '\n', true, false],
    ['(?m)^b$', 'a\nb\nc', false, true],
    ['^b$', 'a\nb\nc', false, false],
    ['(?P<code>5..)', '504', true, true],
    ['(?<code>5..)', '504', true, true],
    ['\\d+ ms', '12 ms', true, true],
    ['\\D\\W\\S', 'a-b', true, true],
    ['\\d', '٣', true, false],
    ['\\s', '\v', true, false],
    ['\\bms\\b', '12 ms', false, true],
    ['\\Aa\\z', 'a', false, true],
    ['\\Qa.b\\E+', 'a.bbb', true, true],
    ['\\Qa.b\\E', 'axb', true, false],
    ['a\\-b\\/c\\_', 'a-b/c_', true, true],
    ['\\x41\\x{1F600}\\101', 'A😀A', true, true],
    ['\\pL\\p{Lu}\\p{Greek}\\PL', 'aAα1', true, true],
    ['[[:alpha:]_-]+', 'a_b-c', true, true],
    ['[[:^digit:]]', 'x', true, true],
    ['[^[:digit:]\\s]', '1', true, false],
    ['[]a]+', 'a]', true, true],
    ['[^]a]', 'b', true, true],
    ['[^]a]', ']', true, false],
    ['[a\\]\\-z]+', 'a]-z', true, true],
    ['[-a][a-]', '--', true, true],
    ['[^a]', '\n', false, true],
    ['[\\w\\d[:alnum:]]+:', 'a'.repeat(60), false, false],
    ['[^\\D5]', '4', true, true],
    ['[^\\D5]', '5', true, false],
    ['[\\p{Lu}\\PL]+', 'A1', true, true],
    ['(?i)[^k]', 'K', true, false],
    ['a{2,3}', 'aaa', true, true],
    ['a{', 'a{', true, true],
    ['{x}', '{x}', true, true],
    ['a]}', 'a]}', true, true],
    ['a*?b+?', 'aab', true, true],
    ['^a$', 'a', true, true],
  ]

  it.each(table)('matches %s on %j (anchored: %s): %s', (pattern, text, anchored, expected) => {
    expect(test(pattern, text, anchored)).toBe(expected)
  })

  it.each([
    ['(?=a)', 'invalid or unsupported Perl syntax'],
    ['(?<!a)b', 'invalid named capture'],
    ['(a)\\1', 'invalid escape sequence'],
    ['\\k<a>', 'invalid escape sequence'],
    ['[[:nothing:]]', 'invalid character class range'],
    ['[z-a]', 'invalid character class range'],
    ['[a', 'missing closing ]'],
    ['a\\', 'trailing backslash at end of expression'],
    ['(', 'missing closing )'],
    ['a)', 'unexpected )'],
    ['*', 'missing argument to repetition operator'],
    ['a**', 'invalid nested repetition operator'],
    ['((a{100}){100}){100}', 'invalid repeat count'],
  ])('refuses %s', (pattern, problem) => {
    expect(test(pattern, '', false)).toBe(`${JSON.stringify(pattern)}, which is none: ${problem}`)
  })

  it('refuses a pattern of more than 1,000 characters', () => {
    expect(test('a'.repeat(1001), '', false)).toBe('a pattern of 1001 characters, at most 1000 are allowed')
  })

  it.each(['(a+)+$', '(a|aa)+$', '(?:a?){500}a{500}$'])('answers %s in time linear in the text', (pattern) => {
    const text = `${'a'.repeat(20_000)}b`
    expect(runWithin(5_000, () => [true, false].map((anchored) => test(pattern, text, anchored)))).toEqual({
      kind: 'finished',
      value: [false, false],
    })
  })

  it('matches any text with itself quoted, whatever its case when asked', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 50 }).filter((text) => !text.includes('\\E')),
        (text) => {
          expect(test(`\\Q${text}\\E`, text, true)).toBe(true)
          const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
          expect(test(escaped, text, true)).toBe(true)
          expect(test(`(?i)${escaped}`, text, true)).toBe(true)
        },
      ),
    )
  })

  it('answers any text with a pattern or a reason', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (pattern) => {
        expect(['boolean', 'string']).toContain(typeof test(pattern, 'x', true))
      }),
      { numRuns: 500 },
    )
  })
})
