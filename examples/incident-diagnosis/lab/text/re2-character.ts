import { classMembers, complement, namedRanges } from './code-ranges.ts'

/** One element a pattern can name: a single character, or a set as the inside of a JavaScript character class. */
export type Re2Character =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'set'; readonly members: string }

/** An element and the offset behind it, or why the text is no RE2. */
export type ReadCharacter =
  | { readonly kind: 'read'; readonly character: Re2Character; readonly end: number }
  | { readonly kind: 'refused'; readonly problem: string }

const controls: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
])

/** Reads the escape whose backslash stands at `start`; assertions such as `\b` are the caller's. */
export function readEscape(pattern: string, start: number): ReadCharacter {
  const letter = characterAt(pattern, start + 1)
  const end = start + 1 + letter.length
  const control = controls.get(letter)
  if (control !== undefined) return { kind: 'read', character: { kind: 'literal', character: control }, end }
  // JavaScript's own `\s` knows more spaces than RE2's.
  const ranges = /^[dswDSW]$/.test(letter) ? namedRanges.get(letter.toLowerCase()) : undefined
  if (ranges !== undefined) {
    const members = classMembers(letter === letter.toLowerCase() ? ranges : complement(ranges))
    return { kind: 'read', character: { kind: 'set', members }, end }
  }
  const numeric = /^\\(?:x\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2}))/.exec(
    pattern.slice(start),
  )
  if (numeric !== null) {
    const [whole, braced, plain, octal] = numeric
    const code = octal === undefined ? Number.parseInt(braced ?? plain ?? '', 16) : Number.parseInt(octal, 8)
    if (code > 0x10ffff) return { kind: 'refused', problem: `${whole} is beyond the last character` }
    const character = String.fromCodePoint(code)
    return { kind: 'read', character: { kind: 'literal', character }, end: start + whole.length }
  }
  const property = /^\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))/.exec(pattern.slice(start))
  if (property !== null) return readProperty(property, start)
  if (letter === '' || /[A-Za-z0-9]/.test(letter)) {
    return { kind: 'refused', problem: `\\${letter} is not part of RE2 syntax` }
  }
  return { kind: 'read', character: { kind: 'literal', character: letter }, end }
}

/** The character at an offset, both halves of it where JavaScript stores two. */
export function characterAt(pattern: string, offset: number): string {
  const code = pattern.codePointAt(offset)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** A literal as source of a JavaScript pattern with the `u` flag, outside or inside a character class. */
export function literalSource(character: string): string {
  return /[\^$\\.*+?()[\]{}|/-]/.test(character) ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : character
}

function readProperty(found: RegExpExecArray, start: number): ReadCharacter {
  const [whole, letter = 'p', caret = '', braced, short] = found
  const name = braced ?? short ?? ''
  const negated = (letter === 'P') !== (caret === '^')
  const property = name.length <= 2 ? name : `Script=${name}`
  const members = `\\${negated ? 'P' : 'p'}{${property}}`
  return { kind: 'read', character: { kind: 'set', members }, end: start + whole.length }
}
