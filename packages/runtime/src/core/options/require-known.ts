import { FairleadError } from '../fairlead-error.ts'
import type { OptionCheck } from './option-check.ts'

/** What may be written somewhere, and how an error speaks of it. */
export type KnownOptions = {
  readonly code: 'INVALID_TOOL' | 'INVALID_OPTION'
  /** Before each message, for example `Tool "pay": `; may be empty. */
  readonly of: string
  /** What the options make, for example `a tool`. */
  readonly what: string
  readonly checks: { readonly [option: string]: OptionCheck }
}

/**
 * Throws for an option nobody knows or a value it cannot have: a misspelt one would otherwise be no error but a guard
 * that is not there. Members that are undefined are absent.
 */
export function requireKnown(given: object, { code, of, what, checks }: KnownOptions): void {
  for (const [option, value] of Object.entries(given)) {
    if (value === undefined) continue
    const check = Object.hasOwn(checks, option) ? checks[option] : undefined
    if (check === undefined) {
      const known = Object.keys(checks)
      const near = nearest(option, known)
      const hint = near === null ? `Known options: ${known.join(', ')}.` : `Did you mean "${near}"?`
      throw new FairleadError(code, `${of}"${option}" is not an option of ${what}. ${hint}`)
    }
    const expected = check(value)
    if (expected !== null) {
      throw new FairleadError(code, `${of}${option} must be ${expected}; found ${found(value)}.`)
    }
  }
}

function found(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60))
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return JSON.stringify(value.slice(0, 6).map((item) => item.slice(0, 20)))
  }
  if (Array.isArray(value)) return 'a list'
  return value === null ? 'null' : typeof value
}

/** The known option a slip of the keys is nearest to, at most two edits away. */
function nearest(option: string, knownOptions: readonly string[]): string | null {
  let best: string | null = null
  let least = 3
  for (const known of knownOptions) {
    const distance = editDistance(option.toLowerCase(), known.toLowerCase())
    if (distance < least) [best, least] = [known, distance]
  }
  return best
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
