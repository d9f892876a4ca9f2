/**
 * Characters that change what a terminal shows without being seen themselves: escape sequences and other controls,
 * direction overrides, zero-width and other invisible characters. Line feed, tab and the two selectors that pick the
 * text or picture form of a symbol are harmless and kept.
 */
const hidden = /(?![\n\t]|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}\u2800]/gu

/** Text for a terminal with every hidden character written out as `<U+001B>`; lines and tabs stay. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(hidden, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
  })
}

/** The same on one line: runs of white space become one space; `limit` counts characters, the ellipsis included. */
export function visibleLine(text: string, limit: number = Number.POSITIVE_INFINITY): string {
  const line = visibleText(text).replace(/\s+/gu, ' ').trim()
  if (line.length <= limit) return line
  const characters = Array.from(line)
  return characters.length <= limit ? line : `${characters.slice(0, Math.max(0, limit - 1)).join('')}…`
}

/** A text that may be a list of issues, one a line, on one line: the issues stay apart by "; ". */
export function issueLine(text: string, limit?: number): string {
  return visibleLine(text.replace(/^- /, '').replaceAll(/;?\n- /g, '; '), limit)
}

/** The same characters as escapes inside JSON text, which leaves its meaning untouched. */
export function escapeHiddenInJson(json: string): string {
  return json.replace(hidden, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}
