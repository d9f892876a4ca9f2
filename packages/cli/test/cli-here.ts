import { systemClock } from '@fairlead/runtime/core'
import { main } from '../src/main.ts'
import type { Terminal } from '../src/terminal.ts'
import { textHost } from './text-host.ts'

/** What a command gave. */
export type Ended = { readonly code: number; readonly out: string; readonly error: string }

/** Runs one command line in this process; without `terminal` nobody can be asked. */
export async function cliHere(
  workingDirectory: string,
  words: readonly string[],
  changes: {
    readonly variables?: { readonly [name: string]: string }
    readonly hoursLater?: number
    readonly terminal?: Terminal
  } = {},
): Promise<Ended> {
  const { variables = {}, hoursLater = 0, terminal } = changes
  const clock = { ...systemClock, now: () => systemClock.now() + hoursLater * 3_600_000 }
  const host = textHost({
    workingDirectory,
    variables,
    clock,
    ...(terminal === undefined ? {} : { isTerminal: true, terminal }),
  })
  const code = await main(words, host)
  return { code, out: host.out(), error: host.error() }
}
