import picocolors from 'picocolors'
import type { Host } from '../host.ts'

type Paint = (text: string) => string

/** The few colours in use; each is the identity when colours are off. */
export type Colours = {
  /** True when colours are off. */
  readonly isPlain: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly green: Paint
  readonly red: Paint
  readonly yellow: Paint
  readonly cyan: Paint
}

/** Colours for a terminal, unless `--no-color`, `NO_COLOR` or a dumb terminal says otherwise; `FORCE_COLOR` turns them on. */
export function coloursFor(host: Host, allowed: boolean): Colours {
  const { NO_COLOR: refused, FORCE_COLOR: forced, TERM: terminal } = host.variables
  const wanted = forced !== undefined && forced !== '' && forced !== '0'
  const enabled =
    allowed &&
    (refused === undefined || refused === '') &&
    (wanted || (host.stdout.isTerminal && terminal !== 'dumb' && forced !== '0'))
  return { ...picocolors.createColors(enabled), isPlain: !enabled }
}
