const breaking = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu

/**
 * A text from outside as it may stand inside a sentence: on one line, every run of white space, control characters and
 * invisible ones (line separators, changes of direction) a single space. So no value can look like a line of its own.
 */
export function oneLine(text: string): string {
  return text.replaceAll(breaking, ' ').trim()
}
