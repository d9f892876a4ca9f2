/** A language a report is written in. */
export type Language = 'en' | 'zh'

/** Picks the sentence of the language at hand from its two versions. */
export type Say = (english: string, chinese: string) => string

/** The picker of a language. */
export function sayIn(language: Language): Say {
  return (english, chinese) => (language === 'zh' ? chinese : english)
}

/** The language to answer a text in: Chinese when it has Han characters and no kana, else English. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'zh' : 'en'
}
