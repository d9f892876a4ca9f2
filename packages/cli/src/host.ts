import { userInfo } from 'node:os'
import { systemClock, type Clock } from '@fairlead/runtime/core'
import type { Terminal } from './terminal.ts'

/** Where text goes. Writing to a reader that went away is silently ignored, so that `| head` is not a crash. */
export type TextSink = { readonly isTerminal: boolean; write(text: string): void }

/** Everything the command takes from the machine it runs on. */
export type Host = {
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly stdinIsTerminal: boolean
  /** The same ends as streams, for questions; use them only where `canAsk`. */
  readonly terminal: Terminal
  readonly variables: { readonly [name: string]: string | undefined }
  readonly workingDirectory: string
  readonly userName: string
  readonly clock: Clock
  /** The words that start this command again, for example `['fairlead']`. */
  readonly self: readonly string[]
}

function sinkOf(stream: NodeJS.WriteStream): TextSink {
  // Whoever replaces the stream's own method later does not reach the command's sink.
  const write = stream.write.bind(stream)
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  return {
    isTerminal: stream.isTTY === true,
    write: (text) => {
      write(text)
    },
  }
}

function userNameOf(variables: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no entry among the users.
    return variables['USER'] ?? variables['LOGNAME'] ?? `uid-${process.getuid?.() ?? 'unknown'}`
  }
}

/** The real process. Call it once: it listens for errors of the output streams. */
export function processHost(self: readonly string[]): Host {
  return {
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    stdinIsTerminal: process.stdin.isTTY === true,
    terminal: { input: process.stdin, output: process.stdout },
    variables: process.env,
    workingDirectory: process.cwd(),
    userName: userNameOf(process.env),
    clock: systemClock,
    self,
  }
}

/** Waits until everything written has left the process, so that a pipe gets all of it before the process ends. */
export async function flushOutput(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) =>
        new Promise<void>((resolve) => {
          stream.write('', () => {
            resolve()
          })
        }),
    ),
  )
}

/** True when a person can be asked: both ends are a terminal and no build server runs us. */
export function canAsk(host: Host): boolean {
  const ci = host.variables['CI']
  const onBuildServer = ci !== undefined && ci !== '' && ci !== 'false' && ci !== '0'
  return host.stdinIsTerminal && host.stdout.isTerminal && !onBuildServer
}
