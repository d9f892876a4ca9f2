import { classMembers, complement, namedRanges } from './code-ranges.ts'
import { characterAt, literalSource, readEscape } from './re2-character.ts'
import type { Re2Character } from './re2-character.ts'

/** The JavaScript source of a character class and the offset behind it, or why the text is no RE2. */
export type TranslatedClass =
  | { readonly kind: 'translated'; readonly source: string; readonly end: number }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * Translates the class whose `[` stands at `start` into one JavaScript class: an alternation could match one character in two ways,
 * and then backtracks without end.
 */
export function translateClass(
  pattern: string,
  { start, ignoreCase }: { readonly start: number; readonly ignoreCase: boolean },
): TranslatedClass {
  const negated = pattern[start + 1] === '^'
  const first = start + (negated ? 2 : 1)
  const parts: string[] = []
  let offset = first
  // A "]" right behind the opening is a literal.
  while (offset === first || pattern[offset] !== ']') {
    if (offset >= pattern.length) return { kind: 'refused', problem: 'a character class without its closing bracket' }
    const posix = /^\[:(\^?)([a-z]{2,}):\]/.exec(pattern.slice(offset))
    if (posix !== null) {
      const set = namedRanges.get(posix[2] ?? '')
      if (set === undefined) return { kind: 'refused', problem: `${posix[0]} is not part of RE2 syntax` }
      parts.push(classMembers(posix[1] === '^' ? complement(set) : set))
      offset += posix[0].length
      continue
    }
    const part = readPart(pattern, { start: offset, ignoreCase })
    if (part.kind === 'refused') return part
    parts.push(part.source)
    offset = part.end
  }
  return { kind: 'translated', source: `[${negated ? '^' : ''}${parts.join('')}]`, end: offset + 1 }
}

/** The part's source is the inside of a class. */
function readPart(
  pattern: string,
  { start, ignoreCase }: { readonly start: number; readonly ignoreCase: boolean },
): TranslatedClass {
  const low = readMember(pattern, start)
  if (low.kind === 'refused') return low
  if (low.character.kind === 'set') return { kind: 'translated', source: low.character.members, end: low.end }
  const isRange = pattern[low.end] === '-' && pattern[low.end + 1] !== ']' && low.end + 1 < pattern.length
  if (!isRange) {
    return { kind: 'translated', source: casesOf(low.character.character, ignoreCase), end: low.end }
  }
  const high = readMember(pattern, low.end + 1)
  if (high.kind === 'refused') return high
  const [from, to] = [low.character.character, high.character.kind === 'literal' ? high.character.character : '']
  if (to === '' || (from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0)) {
    return { kind: 'refused', problem: `${pattern.slice(start, high.end)} is no range of characters` }
  }
  const plain = `${literalSource(from)}-${literalSource(to)}`
  return { kind: 'translated', source: plain + (ignoreCase ? otherCases(from, to) : ''), end: high.end }
}

function readMember(
  pattern: string,
  offset: number,
):
  | { readonly kind: 'read'; readonly character: Re2Character; readonly end: number }
  | { readonly kind: 'refused'; readonly problem: string } {
  if (pattern[offset] === '\\') return readEscape(pattern, offset)
  const character = characterAt(pattern, offset)
  return { kind: 'read', character: { kind: 'literal', character }, end: offset + character.length }
}

/** A character and, without regard to case, its other forms; a form of more than one character is none. */
export function casesOf(character: string, ignoreCase: boolean): string {
  const forms = ignoreCase ? [character, character.toLowerCase(), character.toUpperCase()] : [character]
  const single = forms.filter((form) => characterAt(form, 0) === form)
  return [...new Set(single)].map((form) => literalSource(form)).join('')
}

/** The other case of the ASCII letters in a range. */
function otherCases(from: string, to: string): string {
  const [low, high] = [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0]
  const letters = Array.from({ length: 26 }, (_, index) => index)
  const inside = (code: number): boolean => code >= low && code <= high
  return letters
    .flatMap((index) => [
      ...(inside(65 + index) ? [String.fromCodePoint(97 + index)] : []),
      ...(inside(97 + index) ? [String.fromCodePoint(65 + index)] : []),
    ])
    .join('')
}
