import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../ports/clock.ts'

/** Node's timers take no more milliseconds than fit 31 bits; a longer one would be over at once. */
const longestTimer = 2 ** 31 - 1

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal, { background = false } = {}) {
    const options = { ref: !background, ...(signal === undefined ? {} : { signal }) }
    let left = ms
    for (; left > longestTimer; left -= longestTimer) await sleep(longestTimer, undefined, options)
    await sleep(left, undefined, options)
  },
}
