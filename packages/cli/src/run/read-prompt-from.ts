import { usageFailure } from '../exit.ts'
import type { Host } from '../host.ts'

const longestBytes = 1_048_576

/** The prompt as standard input gives it, for `run -`. A terminal there, or more than 1 MiB, is a usage failure. */
export async function readPromptFrom(host: Host): Promise<string> {
  if (host.stdinIsTerminal) {
    throw usageFailure('run - reads the prompt from standard input, and that is a terminal. Pipe the prompt in.')
  }
  const pieces: Buffer[] = []
  let length = 0
  // A stream's pieces have no type of their own.
  for await (const piece of host.terminal.input as AsyncIterable<string | Uint8Array>) {
    const bytes = Buffer.from(piece as Uint8Array)
    length += bytes.length
    if (length > longestBytes) throw usageFailure('The prompt on standard input is longer than 1 MiB.')
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8').trim()
}
