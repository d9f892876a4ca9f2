/**
 * A text less the paragraphs that `earlier` texts hold already, for a person who has read those; says how many it left
 * out. A text that is all new, or one paragraph,
 * stays as it is.
 */
export function newParagraphs(text: string, earlier: readonly string[]): string {
  const known = new Set(earlier.flatMap(paragraphsOf))
  const paragraphs = paragraphsOf(text)
  const fresh = paragraphs.filter((paragraph) => !known.has(paragraph))
  const left = paragraphs.length - fresh.length
  if (left === 0 || paragraphs.length === 1) return text
  return [...fresh, left === 1 ? '(One paragraph as before.)' : `(${left} paragraphs as before.)`].join('\n\n')
}

function paragraphsOf(text: string): readonly string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}
