/** A range of code points, both ends included. */
export type CodeRange = readonly [low: number, high: number]

const lastCode = 0x10ffff

/** The sets of characters RE2 has names for, all ASCII: those of `[:name:]`, and `d`, `w` and `s` of `\d`, `\w` and `\s`. */
export const namedRanges: ReadonlyMap<string, readonly CodeRange[]> = new Map([
  ['alnum', rangesOf('09AZaz')],
  ['alpha', rangesOf('AZaz')],
  ['ascii', [[0, 127]]],
  ['blank', rangesOf('\t\t  ')],
  ['cntrl', rangesOf('\0\x1f\x7f\x7f')],
  ['d', rangesOf('09')],
  ['digit', rangesOf('09')],
  ['graph', rangesOf('!~')],
  ['lower', rangesOf('az')],
  ['print', rangesOf(' ~')],
  ['punct', rangesOf('!/:@[`{~')],
  ['s', rangesOf('\t\n\f\r  ')],
  ['space', rangesOf('\t\r  ')],
  ['upper', rangesOf('AZ')],
  ['w', rangesOf('09AZ__az')],
  ['word', rangesOf('09AZ__az')],
  ['xdigit', rangesOf('09AFaf')],
])

/** Everything outside rising ranges. */
export function complement(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const starts = [0, ...ranges.map(([, high]) => high + 1)]
  const ends = [...ranges.map(([low]) => low - 1), lastCode]
  return starts.map((start, index): CodeRange => [start, ends[index] ?? lastCode]).filter(([low, high]) => low <= high)
}

/** Ranges as the inside of a JavaScript character class with the `u` flag. */
export function classMembers(ranges: readonly CodeRange[]): string {
  return ranges.map(([low, high]) => `\\u{${low.toString(16)}}-\\u{${high.toString(16)}}`).join('')
}

/** Ranges from pairs of their ends. */
function rangesOf(pairs: string): readonly CodeRange[] {
  return Array.from({ length: pairs.length / 2 }, (_, index) => [
    pairs.charCodeAt(2 * index),
    pairs.charCodeAt(2 * index + 1),
  ])
}
