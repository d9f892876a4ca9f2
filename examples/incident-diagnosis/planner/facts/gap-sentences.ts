import { sayIn, type Language } from '../../report/index.ts'

/** A source that could not be used, and why; the reason is fit to follow "Name: " and has no full stop. */
export type Gap = { readonly name: string; readonly reason: string }

/** The gaps as sentences in order. Failed reads with one reason, such as one broken file, become one sentence. */
export function gapSentences(gaps: readonly Gap[], language: Language = 'en'): readonly string[] {
  const say = sayIn(language)
  const colon = say(': ', '：')
  const unreadable = say('could not be read', '无法读取')
  const namesByReason = new Map<string, string[]>()
  for (const { name, reason } of gaps) {
    const key = reason.startsWith(unreadable) ? reason : `${name}${colon}${reason}`
    namesByReason.set(key, [...(namesByReason.get(key) ?? []), name])
  }
  return Array.from(namesByReason, ([key, names]) => {
    const sentence = key.startsWith(unreadable) ? `${names.join(say(', ', '、'))}${colon}${key}` : key
    return /[.…。]$/.test(sentence) ? sentence : `${sentence}${say('.', '。')}`
  })
}
