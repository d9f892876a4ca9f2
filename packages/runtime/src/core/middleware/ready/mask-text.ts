import type { PersonalData } from './personal-data.ts'

/** Makes what replaces all that the kinds find in a text by their names, one kind after the other. */
export function textMask(kinds: readonly PersonalData[]): (text: string) => string {
  // Copies: a pattern that searches on keeps its place in itself.
  const searching = kinds.map((kind) => ({ ...kind, pattern: searchingAll(kind.pattern) }))
  return (text) => searching.reduce(maskKind, text)
}

function searchingAll({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replaceAll(/[gy]/g, '')}g`)
}

function maskKind(text: string, { name, pattern, sign = '', lengthOf }: PersonalData): string {
  if (!text.includes(sign)) return text
  let masked = ''
  let from = 0
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [found] = match
    const length = lengthOf === undefined ? found.length : lengthOf(found)
    if (length === 0) {
      // What is meant may begin inside of what is not. A character of two halves is stepped over whole.
      pattern.lastIndex = match.index + ((text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1)
      continue
    }
    masked += `${text.slice(from, match.index)}[${name}]`
    from = match.index + length
    pattern.lastIndex = from
  }
  return from === 0 ? text : masked + text.slice(from)
}
