import { writeSync } from 'node:fs'
import type { Fuse, Line } from './order.ts'

/** Called with the name of every point a process passes. */
export type Reached = (point: string) => void

/** Prints a line at once, past every buffer: what was printed stays printed when the process is killed. */
export function say(line: Line): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** Kills or stops this process at the point it was told, as nobody can prevent. */
export function lit(fuse: Fuse | undefined): Reached {
  if (fuse === undefined) return () => undefined
  const { point: wanted, nth = 1, signal = 'SIGKILL' } = fuse
  let passed = 0
  return (point) => {
    // Looks at the clock would drown every other point.
    const fits = wanted === point || (wanted === '*' && point !== 'clock') || (wanted === 'write' && isWrite(point))
    if (!fits) return
    if (++passed !== nth) return
    say({ kind: 'stopping', point })
    process.kill(process.pid, signal)
    // The kill takes this process before the next line.
    while (signal === 'SIGKILL');
  }
}

function isWrite(point: string): boolean {
  return /^(before|after) (?!execute|turn|reconcile)/.test(point)
}
