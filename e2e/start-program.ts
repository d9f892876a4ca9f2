import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A child process under test and the JSON lines it prints. */
export type Program = {
  readonly lines: readonly { readonly kind: string; readonly [key: string]: unknown }[]
  /** Resolves once a line of this kind was printed; rejects when the process ends first. */
  printed(kind: string): Promise<void>
  write(text: string): void
  ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly errors: string }>
}

/** Starts a program of `e2e/programs` from its sources. */
export function startProgram(name: string, args: readonly string[]): Program {
  const path = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@fairlead/source', '--import', 'tsx', path, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines: { kind: string; [key: string]: unknown }[] = []
  let errors = ''
  let rest = ''
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  child.stdout.on('data', (data: Buffer) => {
    const parts = (rest + data.toString()).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) lines.push(JSON.parse(part) as { kind: string })
    child.emit('line')
  })
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    errors,
  }))
  return {
    lines,
    ended,
    write: (text) => void child.stdin.write(text),
    async printed(kind) {
      while (!lines.some((line) => line.kind === kind)) {
        const over = await Promise.race([once(child, 'line').then(() => false), ended.then(() => true)])
        if (over && !lines.some((line) => line.kind === kind)) throw new Error(`The process ended first. ${errors}`)
      }
    },
  }
}
