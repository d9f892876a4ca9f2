import type { Runbook } from '../sources/index.ts'

/** A runbook and how well it fits a query; higher is better, 0 is no fit. */
export type ScoredRunbook = { readonly runbook: Runbook; readonly score: number }

/**
 * Ranks runbooks by the query's words: a word counts the more the fewer runbooks hold it, and three times in a title.
 * Ties keep the order given. Runbooks without any of the words are left out.
 */
export function scoreRunbooks(runbooks: readonly Runbook[], query: string): readonly ScoredRunbook[] {
  const wanted = [...new Set(wordsOf(query))]
  const indexed = runbooks.map((runbook) => ({
    runbook,
    title: new Set(wordsOf(runbook.title)),
    text: new Set(wordsOf(runbook.text)),
  }))
  const weights = new Map(
    wanted.map((word) => {
      const holders = indexed.filter(({ text, title }) => text.has(word) || title.has(word)).length
      return [word, Math.log(1 + indexed.length / Math.max(1, holders))]
    }),
  )
  return indexed
    .map(({ runbook, title, text }) => ({
      runbook,
      score: wanted.reduce((sum, word) => {
        const weight = weights.get(word) ?? 0
        return sum + (text.has(word) ? weight : 0) + (title.has(word) ? 3 * weight : 0)
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
}

function wordsOf(text: string): readonly string[] {
  const segments = new Intl.Segmenter('en', { granularity: 'word' }).segment(text.toLowerCase())
  return Array.from(segments).flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []))
}
