import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeHiddenInJson, visibleLine, visibleText } from './visible-text.ts'

const dangerous = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

describe('visibleText', () => {
  it.each([
    ['a terminal escape', '\u001b[31mred\u001b[0m', '<U+001B>[31mred<U+001B>[0m'],
    ['an eight-bit escape', '\u009b2J', '<U+009B>2J'],
    ['a direction override', 'a\u202egpj.exe', 'a<U+202E>gpj.exe'],
    ['a zero-width space', 'pay\u200bpal', 'pay<U+200B>pal'],
    ['hidden tag letters', 'ok\u{e0041}', 'ok<U+E0041>'],
    ['a backspace', 'yes\b\b\bno', 'yes<U+0008><U+0008><U+0008>no'],
    ['a lone carriage return', 'safe\rrm', 'safe<U+000D>rm'],
    ['an invisible letter', 'a\u3164b', 'a<U+3164>b'],
  ])('writes out %s', (_name, text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })

  it('leaves ordinary text of any script, lines and symbols alone', () => {
    const text = 'P95 延迟 2 s ⚠️\n\tdéjà vu → 22 °C'
    expect(visibleText(text)).toBe(text)
  })

  it('never lets a hidden character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(visibleText(text).replaceAll(/[\n\t]/g, '')).not.toMatch(dangerous)
        expect(visibleLine(text)).not.toMatch(dangerous)
      }),
    )
  })
})

describe('visibleLine', () => {
  it('is one line and says by an ellipsis that it was cut', () => {
    expect(visibleLine('  one\n two\tthree ')).toBe('one two three')
    expect(visibleLine('abcdef', 4)).toBe('abc…')
    expect(visibleLine('abcd', 4)).toBe('abcd')
  })

  it('counts characters, not halves of them', () => {
    expect(visibleLine('🚑🚑🚑', 2)).toBe('🚑…')
  })
})

describe('escapeHiddenInJson', () => {
  it('keeps the meaning of every JSON document and hides nothing in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const json = escapeHiddenInJson(JSON.stringify({ text }, null, 2))
        expect(JSON.parse(json)).toEqual({ text })
        expect(json.replaceAll('\n', '')).not.toMatch(dangerous)
      }),
    )
  })
})
