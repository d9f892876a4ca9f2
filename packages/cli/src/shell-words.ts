const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/

/** What a terminal would act on or not show when it is pasted: controls, changes of direction, invisible characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/**
 * A command line a person can paste into a shell, on one line. Words with hidden characters are written as `$'…'`,
 * which bash, zsh and ksh know; all others are plain POSIX.
 */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

function shellWord(word: string): string {
  if (plainWord.test(word)) return word
  if (hidden.test(word)) return `$'${Array.from(word, dollarQuoted).join('')}'`
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function dollarQuoted(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`
  if (!hidden.test(character)) return character
  // Bytes, since not every shell knows \u.
  return Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}
