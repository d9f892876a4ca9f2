import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program of this folder in a process of its own. It prints lines; it begins when it is told to. */
export interface RunningProgram {
  /** The lines printed so far. */
  readonly lines: readonly string[]
  /** Resolves when the program has printed `count` lines or has ended. */
  printed(count: number): Promise<void>
  /** Lets a program that printed `ready` begin. */
  begin(): void
  /** Ends it at once, without a chance to tidy up. */
  kill(): void
  /** Resolves with the exit code (`null` when killed) and what it wrote to its error stream. */
  ended(): Promise<{ readonly code: number | null; readonly errors: string }>
}

/** Starts `programs/<name>.ts` from sources, in the shell wrapper if one is given (`ulimit …; exec "$@"`). */
export function startProgram(name: string, programArguments: readonly string[], shell?: string): RunningProgram {
  const script = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))
  const command = [process.execPath, '--conditions=@fairlead/source', '--import', 'tsx', script, ...programArguments]
  const child: ChildProcessWithoutNullStreams =
    shell === undefined ? spawn(process.execPath, command.slice(1)) : spawn('/bin/sh', ['-c', shell, 'sh', ...command])
  const lines: string[] = []
  const listeners = new Set<() => void>()
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const listener of listeners) listener()
  })
  const closed = once(child, 'close')
  return {
    lines,
    async printed(count) {
      const enough = new Promise<void>((resolve) => {
        const listener = (): void => {
          if (lines.length >= count) resolve()
        }
        listeners.add(listener)
        listener()
      })
      await Promise.race([enough, closed])
    },
    begin: () => child.stdin.end('begin\n'),
    kill: () => child.kill('SIGKILL'),
    async ended() {
      const [code] = (await closed) as [number | null]
      return { code, errors }
    },
  }
}
