import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../ports/clock.ts'

/** The machine's clock. Its timers do not keep a process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }),
}
