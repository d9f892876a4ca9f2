import { characterAt, readEscape } from './re2-character.ts'
import { casesOf, translateClass } from './re2-class.ts'

/** The source of an equal JavaScript pattern (for the `u` flag), or why the text is no RE2. */
export type TranslatedPattern =
  | { readonly kind: 'translated'; readonly source: string }
  | { readonly kind: 'refused'; readonly problem: string }

/** RE2's flags: case does not count, `.` matches line breaks, `^` and `$` match at lines. */
interface Flags {
  readonly ignoreCase: boolean
  readonly dotMatchesLineBreak: boolean
  readonly multiLine: boolean
}

interface Progress {
  readonly source: string
  readonly end: number
  /** Flags from here on; groups remember those they began with. */
  readonly flags: Flags
  readonly group?: 'opened' | 'closed'
}

/**
 * Translates RE2 syntax, the language of both query APIs, into JavaScript's.
 *
 * Groups with flags, POSIX and Unicode classes, `\A`, `\z`, `\Q…\E` and names by `(?P<name>` are rewritten; look-around,
 * back-references and the flag `U` are refused. Case-insensitive ranges beyond ASCII keep their case.
 */
export function re2ToJavaScript(
  pattern: string,
  options: { readonly dotMatchesLineBreak: boolean },
): TranslatedPattern {
  const outer: Flags[] = []
  let flags: Flags = { ignoreCase: false, dotMatchesLineBreak: options.dotMatchesLineBreak, multiLine: false }
  let source = ''
  let offset = 0
  while (offset < pattern.length) {
    const step = translateNext(pattern, offset, flags)
    if ('problem' in step) return { kind: 'refused', problem: step.problem }
    if (step.group === 'opened') outer.push(flags)
    flags = step.group === 'closed' ? (outer.pop() ?? flags) : step.flags
    source += step.source
    offset = step.end
  }
  return { kind: 'translated', source }
}

function translateNext(pattern: string, offset: number, flags: Flags): Progress | { readonly problem: string } {
  const character = characterAt(pattern, offset)
  const plain = (source: string): Progress => ({ source, end: offset + character.length, flags })
  switch (character) {
    case '\\':
      return translateEscape(pattern, offset, flags)
    case '[': {
      const set = translateClass(pattern, { start: offset, ignoreCase: flags.ignoreCase })
      return set.kind === 'refused' ? set : { source: set.source, end: set.end, flags }
    }
    case '(':
      return translateGroup(pattern, offset, flags)
    case ')':
      return { ...plain(')'), group: 'closed' }
    case '.':
      return plain(flags.dotMatchesLineBreak ? '[^]' : '[^\\n]')
    case '^':
      return plain(flags.multiLine ? '(?<![^\\n])' : '(?<![^])')
    case '$':
      return plain(flags.multiLine ? '(?![^\\n])' : '(?![^])')
    case '*':
    case '+':
    case '?':
    case '|':
      return plain(character)
    case '{': {
      const counted = /^\{\d{1,4}(?:,\d{0,4})?\}/.exec(pattern.slice(offset))
      return counted === null ? plain('\\{') : { source: counted[0], end: offset + counted[0].length, flags }
    }
    default:
      return plain(literal(character, flags))
  }
}

function translateEscape(pattern: string, offset: number, flags: Flags): Progress | { readonly problem: string } {
  const letter = pattern[offset + 1] ?? ''
  const assertions: Readonly<Record<string, string>> = { b: '\\b', B: '\\B', A: '(?<![^])', z: '(?![^])' }
  const assertion = assertions[letter]
  if (assertion !== undefined) return { source: assertion, end: offset + 2, flags }
  if (letter === 'Q') {
    const close = pattern.indexOf('\\E', offset + 2)
    const text = pattern.slice(offset + 2, close === -1 ? undefined : close)
    const end = close === -1 ? pattern.length : close + 2
    return { source: Array.from(text, (character) => literal(character, flags)).join(''), end, flags }
  }
  const escape = readEscape(pattern, offset)
  if (escape.kind === 'refused') return escape
  const { character, end } = escape
  return {
    source: character.kind === 'set' ? `[${character.members}]` : literal(character.character, flags),
    end,
    flags,
  }
}

function translateGroup(pattern: string, offset: number, flags: Flags): Progress | { readonly problem: string } {
  const rest = pattern.slice(offset)
  const named = /^\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/.exec(rest)
  // A name is of no use to a test, and JavaScript refuses some that RE2 has.
  if (named !== null) return { source: '(?:', end: offset + named[0].length, flags, group: 'opened' }
  const flagged = /^\(\?([ims]*)(?:-([ims]+))?([:)])/.exec(rest)
  if (flagged !== null) {
    const [whole, on = '', off = '', closing] = flagged
    const changed = changeFlags(flags, on, off)
    const end = offset + whole.length
    if (closing === ')') return { source: '', end, flags: changed }
    return { source: '(?:', end, flags: changed, group: 'opened' }
  }
  if (rest.startsWith('(?')) return { problem: `${rest.slice(0, 4)} is not part of RE2 syntax` }
  return { source: '(?:', end: offset + 1, flags, group: 'opened' }
}

function changeFlags(flags: Flags, on: string, off: string): Flags {
  const changed = (letter: string, before: boolean): boolean =>
    off.includes(letter) ? false : on.includes(letter) || before
  return {
    ignoreCase: changed('i', flags.ignoreCase),
    dotMatchesLineBreak: changed('s', flags.dotMatchesLineBreak),
    multiLine: changed('m', flags.multiLine),
  }
}

function literal(character: string, { ignoreCase }: Flags): string {
  const forms = casesOf(character, ignoreCase)
  return forms === casesOf(character, false) ? forms : `[${forms}]`
}
