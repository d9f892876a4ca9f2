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
    /** What lies on standard input where it is no terminal. */
    readonly input?: Terminal
    /** Takes the place of waiting. */
    readonly sleep?: () => Promise<void>
  } = {},
): Promise<Ended> {
  const { variables = {}, hoursLater = 0, terminal, input, sleep = systemClock.sleep } = changes
  const clock = { ...systemClock, now: () => systemClock.now() + hoursLater * 3_600_000, sleep }
  const host = textHost({
    workingDirectory,
    variables,
    clock,
    ...(input === undefined ? {} : { terminal: input }),
    ...(terminal === undefined ? {} : { isTerminal: true, terminal }),
  })
  const code = await main(words, host)
  return { code, out: host.out(), error: host.error() }
}
