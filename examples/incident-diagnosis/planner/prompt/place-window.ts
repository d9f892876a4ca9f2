import { sayIn, type Language } from '../../report/index.ts'
import { formatTime } from '../../sources/index.ts'
import type { StatedWindow, Window } from './stated-window.ts'

/** What of an alert places a window in time. */
export type AlertTimes = { readonly startedAt: number; readonly window: Window }

const day = 86_400

/**
 * Places a stated window in time, by what is known of the alert; `null` when that needs an alert and there is none, and
 * for an invalid one.
 */
export function placeWindow(stated: StatedWindow | null, alert: AlertTimes | null): Window | null {
  if (stated === null) return alert?.window ?? null
  switch (stated.kind) {
    case 'absolute':
      return { start: stated.start, end: stated.end }
    case 'clock':
      return alert === null ? null : nearest(stated, alert.startedAt)
    case 'recent':
      return alert === null ? null : { start: alert.window.end - stated.seconds, end: alert.window.end }
    case 'invalid':
      return null
    default:
      return stated satisfies never
  }
}

/** How an incomplete window of the prompt was understood, as a sentence; `null` when nothing had to be understood. */
export function placementOf(stated: StatedWindow | null, window: Window, language: Language = 'en'): string | null {
  const say = sayIn(language)
  switch (stated?.kind) {
    case 'recent':
      return say(
        `Window: “${stated.words}” is taken as the ${lengthOf(stated.seconds)} before ${formatTime(window.end)}, where the alert's window ends.`,
        `时间窗口：“${stated.words}”按告警窗口结束（${formatTime(window.end)}）之前的 ${stated.seconds} 秒处理。`,
      )
    case 'clock':
      return say(
        `Window: “${stated.words}” is taken as ${formatTime(window.start)} to ${formatTime(window.end)}, nearest to the alert.`,
        `时间窗口：“${stated.words}”按离告警最近的 ${formatTime(window.start)} 至 ${formatTime(window.end)} 处理。`,
      )
    default:
      return null
  }
}

function lengthOf(seconds: number): string {
  if (seconds % 60 !== 0) return `${seconds} seconds`
  return seconds === 60 ? 'minute' : `${seconds / 60} minutes`
}

function nearest(stated: { readonly start: number; readonly end: number }, anchor: number): Window {
  const midnight = Math.floor(anchor / day) * day
  const distance = (window: Window) => Math.max(0, window.start - anchor, anchor - window.end)
  return [0, -1, 1]
    .map((shift) => ({ start: midnight + shift * day + stated.start, end: midnight + shift * day + stated.end }))
    .reduce((best, each) => (distance(each) < distance(best) ? each : best))
}
