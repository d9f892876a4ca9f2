import type { StatedWindow } from './read-window.ts'

/** The forms of a window that need no alert, to be shown to people. */
export const completeForms = '“2031-01-31T08:00:00Z to 2031-01-31T09:00:00Z” or “2031-01-31 08:00-09:00” (UTC)'

/** The answer to a prompt whose window is none: what was found, what is wrong with it, and the accepted forms. */
export function invalidWindowAnswer({ words, problem }: Extract<StatedWindow, { readonly kind: 'invalid' }>): string {
  return `I made no diagnosis, because I cannot use the time window of the prompt: found “${words}”, but ${problem}. Accepted forms: ${completeForms}; with an alert also “08:00-09:00 UTC” (the day nearest to the alert) and “last 30 minutes” (up to the end of the alert's window). A window ends after it starts.`
}
