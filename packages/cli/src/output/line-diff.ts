/** One line of a difference: kept, taken out or put in. */
export type DiffLine = { readonly mark: ' ' | '-' | '+'; readonly text: string }

/** Beyond this many lines a person reads both texts rather than what is between them. */
const mostLines = 500

/** What changed between two texts, line by line, in the order of the new one: the longest common part stays. */
export function lineDiff(before: string, now: string): readonly DiffLine[] {
  const old = before.split('\n')
  const fresh = now.split('\n')
  if (old.length > mostLines || fresh.length > mostLines) {
    return [
      ...old.map((text) => ({ mark: '-', text }) as const),
      ...fresh.map((text) => ({ mark: '+', text }) as const),
    ]
  }
  const common = commonLengths(old, fresh)
  const lines: DiffLine[] = []
  let left = 0
  let right = 0
  while (left < old.length || right < fresh.length) {
    const [oldText, newText] = [old[left], fresh[right]]
    if (oldText !== undefined && oldText === newText) {
      lines.push({ mark: ' ', text: oldText })
      left += 1
      right += 1
    } else if (
      oldText !== undefined &&
      (newText === undefined || at(common, left + 1, right) >= at(common, left, right + 1))
    ) {
      lines.push({ mark: '-', text: oldText })
      left += 1
    } else {
      lines.push({ mark: '+', text: newText ?? '' })
      right += 1
    }
  }
  return lines
}

/** How many lines two texts have in common from each pair of places on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly (readonly number[])[] {
  const common: number[][] = old.map(() => [])
  for (let left = old.length - 1; left >= 0; left -= 1) {
    for (let right = fresh.length - 1; right >= 0; right -= 1) {
      const longest =
        old[left] === fresh[right]
          ? at(common, left + 1, right + 1) + 1
          : Math.max(at(common, left + 1, right), at(common, left, right + 1))
      const row = common[left]
      if (row !== undefined) row[right] = longest
    }
  }
  return common
}

function at(table: readonly (readonly number[])[], left: number, right: number): number {
  return table[left]?.[right] ?? 0
}
