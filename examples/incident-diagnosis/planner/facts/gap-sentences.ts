/** A source that could not be used, and why; the reason is fit to follow "Name: " and has no full stop. */
export type Gap = { readonly name: string; readonly reason: string }

/** The gaps as sentences in order. Failed reads with one reason, such as one broken file, become one sentence. */
export function gapSentences(gaps: readonly Gap[]): readonly string[] {
  const namesByReason = new Map<string, string[]>()
  for (const { name, reason } of gaps) {
    const key = reason.startsWith('could not be read') ? reason : `${name}: ${reason}`
    namesByReason.set(key, [...(namesByReason.get(key) ?? []), name])
  }
  return Array.from(namesByReason, ([key, names]) => {
    const sentence = key.startsWith('could not be read') ? `${names.join(', ')}: ${key}` : key
    return /[.…]$/.test(sentence) ? sentence : `${sentence}.`
  })
}
