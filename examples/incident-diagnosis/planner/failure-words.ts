import { oneLine } from '../report/index.ts'

/**
 * What a failed call said itself. A result's text is `CODE: particulars` and, on a line of its own, a sentence that tells
 * a model what to do; without particulars the sentence stands behind the code. Empty when there are no particulars.
 */
export function particularsOf(code: string, words: string): string {
  const text = words.startsWith(`${code}: `) ? words.slice(code.length + 2) : words
  const lines = text.trimEnd().split('\n')
  return lines.slice(0, -1).join('\n').trim()
}

/** The first line of what a failed call said itself: the fact. Lines after it are advice for a model. */
export function factOf(code: string, words: string): string {
  return oneLine(particularsOf(code, words).split('\n')[0] ?? '').replace(/[.\s]+$/, '')
}

/** The reason a person gave for a refusal, on one line; `null` when none was given. */
export function reasonGiven(code: string, words: string): string | null {
  // A single line that gives a reason is the reason, whatever sentence may be missing behind it.
  const said = particularsOf(code, words) || words
  const reason = /(?:^|: )Reason given: ([\s\S]*)$/.exec(said)?.[1]
  return reason === undefined || oneLine(reason) === '' ? null : oneLine(reason)
}
