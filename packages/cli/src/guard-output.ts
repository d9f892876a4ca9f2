import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { visibleText } from './output/visible-text.ts'

/** Gives the output streams back. */
export type OutputGuard = { release(): void }

/**
 * Standard output is the command's own: what a configuration or a tool prints with `console` goes to standard error
 * instead, every hidden character made visible. `isDocument` keeps the stream itself too, for then it must hold one
 * document and nothing else. Ask for the command's own sink before.
 */
export function guardOutput(options: { readonly isDocument: boolean }): OutputGuard {
  const { stdout, stderr } = process
  const aside = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      stderr.write(visibleText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')))
      done()
    },
  })
  const printed = new Console({ stdout: aside, stderr: aside })
  const before = { ...console }
  Object.assign(console, printed)
  if (!options.isDocument) return { release: () => void Object.assign(console, before) }
  const write = stdout.write.bind(stdout)
  stdout.write = aside.write.bind(aside) as typeof stdout.write
  return {
    release: () => {
      Object.assign(console, before)
      stdout.write = write
    },
  }
}
