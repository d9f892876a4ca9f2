/**
 * A time window as a prompt states it, `words` being its own words. `absolute` is complete, in seconds since the epoch;
 * `clock` has times of day (seconds after midnight UTC, possibly of the day before or after) without a date; `recent`
 * is a length in seconds; `invalid` is meant as a window and is none, `problem` says why in half a sentence.
 */
export type StatedWindow =
  | { readonly kind: 'absolute'; readonly start: number; readonly end: number }
  | { readonly kind: 'clock'; readonly words: string; readonly start: number; readonly end: number }
  | { readonly kind: 'recent'; readonly words: string; readonly seconds: number }
  | { readonly kind: 'invalid'; readonly words: string; readonly problem: string }

/** A span in seconds since the epoch. */
export type Window = { readonly start: number; readonly end: number }
