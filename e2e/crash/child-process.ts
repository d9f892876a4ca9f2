import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** How a process ended. */
export type Ended = { readonly code: number | null; readonly signal: string | null; readonly errors: string }

/** A started program, the lines it prints, and how it ends. */
export type Child = {
  readonly lines: readonly string[]
  readonly ended: Promise<Ended>
  /** Resolves with the first line that fits; rejects when the process ends without one. */
  printed(fits: (line: string) => boolean): Promise<string>
  write(text: string): void
  /** Closes what it reads from. */
  endInput(): void
  send(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
}

/** Starts a file with Node, in a shell wrapper if one is given (`ulimit …; exec "$@"`). */
export function startChild(file: string, args: readonly string[], shell?: string): Child {
  const child: ChildProcessWithoutNullStreams =
    shell === undefined
      ? spawn(process.execPath, [file, ...args])
      : spawn('/bin/sh', ['-c', shell, 'sh', process.execPath, file, ...args])
  const lines: string[] = []
  let errors = ''
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  // A process that is gone reads nothing more.
  child.stdin.on('error', () => undefined)
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    child.emit('line')
  })
  const ended = once(child, 'close').then(([code, signal]): Ended => ({
    code: code as number | null,
    signal: signal as string | null,
    errors,
  }))
  return {
    lines,
    ended,
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    send: (signal) => void child.kill(signal),
    async printed(fits) {
      for (;;) {
        const found = lines.find(fits)
        if (found !== undefined) return found
        const over = await Promise.race([once(child, 'line').then(() => false), ended.then(() => true)])
        const last = lines.find(fits)
        if (last !== undefined) return last
        if (over) throw new Error(`The process ended first. ${lines.join(' ')} ${errors}`)
      }
    },
  }
}
