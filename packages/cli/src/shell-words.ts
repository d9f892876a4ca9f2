const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/

/** A command line a person can paste into a POSIX shell. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}
