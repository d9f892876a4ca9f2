import type { Readable, Writable } from 'node:stream'

/** Both ends of a terminal as streams, for questions that draw and listen to single keys. */
export type Terminal = {
  readonly input: Readable
  readonly output: Writable & { readonly columns?: number; readonly rows?: number }
}

/** How wide a terminal is; 80 where it says 0 or nothing, as one without a window does. */
export function columnsOf(output: { readonly columns?: number }): number {
  const { columns } = output
  return columns === undefined || columns <= 0 ? 80 : columns
}
