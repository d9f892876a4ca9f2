/** Where two texts first differ, with the lines of both; `undefined` when they are the same. Lines count from 1. */
export function firstDifference(kept: string, made: string): string | undefined {
  if (kept === made) return undefined
  const [before, after] = [kept.split('\n'), made.split('\n')]
  const index = after.findIndex((line, at) => line !== before[at])
  const at = index < 0 ? after.length : index
  return `line ${at + 1}:\n  - ${before[at] ?? '(end)'}\n  + ${after[at] ?? '(end)'}`
}
