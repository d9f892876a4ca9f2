import { Writable } from 'node:stream'
import { columnsOf, type Terminal } from '../terminal.ts'

/** A key as the terminal's line reader tells it. */
export type Key = { readonly name?: string; readonly ctrl?: boolean }

/** Presses a key for the person, after the one that is being told. */
export type Press = (name: 'up' | 'down' | 'return' | 'escape') => void

/** What a question draws on: the terminal, with a size that can be drawn on even where it says 0. */
type Screen = Writable & { readonly columns: number; readonly rows: number }

/** Sequences that only colour what follows; those that move the cursor stay. */
const colour = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g')

function screenOn(output: Terminal['output'], isPlain: boolean): Screen {
  const writable = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      output.write(isPlain ? chunk.toString().replaceAll(colour, '') : chunk)
      done()
    },
  })
  const { rows } = output
  return Object.assign(writable, { columns: columnsOf(output), rows: rows === undefined || rows <= 0 ? 24 : rows })
}

/** Given in an answer's place when a person left the terminal itself: Ctrl-C, Ctrl-D, the end of the input, an abort. */
export const leftTerminal: unique symbol = Symbol('left the terminal')

/**
 * Asks one question on a terminal. `ask` must begin to listen before it returns; `onKey` hears every key after the
 * question did. Escape leaves the question alone, as the asker tells it; `isPlain` draws without colours.
 */
export async function terminalQuestion<Answer>(
  terminal: Terminal,
  question: {
    readonly ask: (streams: { readonly input: Terminal['input']; readonly output: Writable }) => Promise<Answer>
    readonly onKey?: (key: Key, press: Press) => void
    readonly isPlain?: boolean
    readonly signal: AbortSignal
  },
): Promise<Answer | typeof leftTerminal> {
  const { input } = terminal
  const { ask, onKey, isPlain = false, signal } = question
  let pressing = false
  let isLeft = false
  const press: Press = (name) => {
    pressing = true
    input.emit('keypress', undefined, { name })
    pressing = false
  }
  const leave = (): void => {
    isLeft = true
    press('escape')
  }
  const heard = (_text: string | undefined, key: Key): void => {
    // What is pressed for the person is for the question alone.
    if (pressing) return
    if (key.ctrl === true && key.name === 'd') leave()
    // The question has left itself by then.
    else if (key.ctrl === true && key.name === 'c') isLeft = true
    else onKey?.(key, press)
  }
  const output = screenOn(terminal.output, isPlain)
  const resized = (): void => {
    Object.assign(output, { columns: columnsOf(terminal.output) })
    output.emit('resize')
  }
  const answer = ask({ input, output })
  input.on('keypress', heard).once('end', leave)
  terminal.output.on('resize', resized)
  signal.addEventListener('abort', leave)
  if (signal.aborted || input.readableEnded) leave()
  try {
    const given = await answer
    return isLeft ? leftTerminal : given
  } finally {
    input.off('keypress', heard).off('end', leave)
    terminal.output.off('resize', resized)
    signal.removeEventListener('abort', leave)
  }
}
