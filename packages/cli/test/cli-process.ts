import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ended } from './cli-here.ts'

const bin = fileURLToPath(new URL('../src/bin.ts', import.meta.url))

/** The command as a process of its own. */
export type CliProcess = { readonly child: ChildProcess; readonly ended: Promise<Ended> }

/** Starts the real command from its sources, without a terminal. */
export function cliProcess(workingDirectory: string, words: readonly string[]): CliProcess {
  const child = spawn(
    process.execPath,
    ['--conditions=@fairlead/source', '--import', import.meta.resolve('tsx'), bin, ...words],
    {
      cwd: workingDirectory,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, XDG_CACHE_HOME: join(workingDirectory, 'cache') },
    },
  )
  let out = ''
  let error = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? (signal === null ? -1 : -2), out, error }))
  })
  return { child, ended }
}
