import { sayIn, type Language } from '../../report/index.ts'
import type { StatedWindow } from './stated-window.ts'

/** The forms of a window that need no alert, to be shown to people. */
export const completeForms = '“2031-01-31T08:00:00Z to 2031-01-31T09:00:00Z” or “2031-01-31 08:00-09:00” (UTC)'

/** The answer to a prompt whose window is none: what was found, what is wrong with it, and the accepted forms. */
export function invalidWindowAnswer(
  { words, problem }: Extract<StatedWindow, { readonly kind: 'invalid' }>,
  language: Language = 'en',
): string {
  return sayIn(language)(
    `I made no diagnosis, because I cannot use the time window of the prompt: found “${words}”, but ${problem}. Accepted forms: ${completeForms}; with an alert also “08:00-09:00 UTC” (the day nearest to the alert) and “last 30 minutes” (up to the end of the alert's window). A window ends after it starts.`,
    `无法使用提示中的时间窗口，因此没有诊断：找到“${words}”（${problem}）。可用的形式：${completeForms}；有告警时还可用 “08:00-09:00 UTC”（离告警最近的一天）和 “last 30 minutes”（到告警窗口结束为止）。窗口的结束必须晚于开始。`,
  )
}
