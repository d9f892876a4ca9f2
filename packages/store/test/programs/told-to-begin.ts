import { once } from 'node:events'
import { writeSync } from 'node:fs'

/** Prints a line at once, past every buffer: what was printed stays printed when the process is killed. */
export function print(line: string): void {
  writeSync(1, `${line}\n`)
}

/** Prints `ready` and waits for the parent, so that several processes begin at the same moment. */
export async function toldToBegin(): Promise<void> {
  print('ready')
  process.stdin.resume()
  await once(process.stdin, 'end')
}
