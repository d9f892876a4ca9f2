import { PassThrough } from 'node:stream'
import type { Host } from '../src/host.ts'

/** A host that keeps what is written; no terminal unless said otherwise. */
export type TextHost = Host & { readonly out: () => string; readonly error: () => string }

/** Makes a host for a test that runs a command in this process. */
export function textHost(changes: Partial<Host> & { readonly isTerminal?: boolean } = {}): TextHost {
  const out: string[] = []
  const error: string[] = []
  const isTerminal = changes.isTerminal ?? false
  return {
    stdout: { isTerminal, write: (text) => void out.push(text) },
    stderr: { isTerminal, write: (text) => void error.push(text) },
    stdinIsTerminal: isTerminal,
    terminal: { input: new PassThrough(), output: new PassThrough() },
    variables: {},
    workingDirectory: '/nowhere',
    userName: 'ann',
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    self: ['fairlead'],
    ...changes,
    out: () => out.join(''),
    error: () => error.join(''),
  }
}
