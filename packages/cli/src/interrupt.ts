import { exitCode } from './exit.ts'

/** One key press may reach a process twice (from the terminal and from a parent that forwards it). */
const samePressMs = 400

/** The first Ctrl-C (or SIGTERM) aborts `signal`, so that the run ends in order; the next one ends the process. */
export type Interrupt = { readonly signal: AbortSignal; dispose(): void }

const realProcess = {
  /** Milliseconds of a clock that only goes forward. */
  now: (): number => performance.now(),
  leave: (): void => process.exit(exitCode.interrupted),
}

/** Listens until disposed. `onFirst` tells the person what happens. */
export function listenForInterrupt(
  onFirst: () => void,
  { now, leave }: { readonly now: () => number; readonly leave: () => void } = realProcess,
): Interrupt {
  const controller = new AbortController()
  let firstAt: number | null = null
  const heard = (): void => {
    if (firstAt === null) {
      firstAt = now()
      onFirst()
      controller.abort()
    } else if (now() - firstAt > samePressMs) {
      leave()
    }
  }
  process.on('SIGINT', heard)
  process.on('SIGTERM', heard)
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', heard)
      process.off('SIGTERM', heard)
    },
  }
}
