import { FairleadError } from '../fairlead-error.ts'

/**
 * What each option of `tool()` must be. A misspelt `needsApproval` or `effects` would otherwise be no error but a tool
 * that runs unguarded: everything that is not known is refused.
 */
const options: { readonly [option: string]: (value: unknown) => string | null } = {
  name: text,
  description: text,
  inputSchema: anything,
  outputSchema: anything,
  execute: callable,
  version: text,
  owner: text,
  origin: text,
  effects: oneOf('read', 'write', 'destructive', 'unknown'),
  risk: oneOf('low', 'medium', 'high', 'critical'),
  class: oneOf('readOnly', 'idempotencyKey', 'queryable', 'transactional', 'nonIdempotent'),
  timeoutMs: positive,
  retry: record,
  concurrency: positive,
  errorCodes: texts,
  tags: texts,
  phases: texts,
  environments: texts,
  needsApproval: (value) =>
    typeof value === 'boolean' || typeof value === 'function' ? null : 'true, false or a function',
  annotations: record,
  sandbox: text,
  labels: anything,
  examples: list,
  whenNotToUse: text,
  idempotency: record,
  impact: (value) => (typeof value === 'string' || typeof value === 'function' ? null : 'a text or a function'),
  reversible: (value) =>
    value === 'yes' || value === 'no' || (typeof value === 'object' && value !== null && 'by' in value)
      ? null
      : '"yes", "no" or { by: tool }',
  costUsd: (value) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? null : 'a number from 0'),
  strict: flag,
  editable: flag,
  maxInvocations: anything,
  maxInvocationExceptions: anything,
  perRun: record,
  worker: (value) => (value instanceof URL ? null : 'a URL'),
  raw: flag,
  toResult: callable,
  repair: callable,
  dryRun: callable,
  reconcile: callable,
  compensate: callable,
}

/** Throws `INVALID_TOOL` for an option nobody knows or a value it cannot have. Members that are undefined are absent. */
export function requireKnownOptions(tool: string, given: object): void {
  for (const [option, value] of Object.entries(given)) {
    if (value === undefined) continue
    const check = Object.hasOwn(options, option) ? options[option] : undefined
    if (check === undefined) {
      const near = nearest(option)
      const hint = near === null ? `Known options: ${Object.keys(options).join(', ')}.` : `Did you mean "${near}"?`
      throw new FairleadError('INVALID_TOOL', `Tool "${tool}": "${option}" is not an option of a tool. ${hint}`)
    }
    const expected = check(value)
    if (expected !== null) {
      throw new FairleadError('INVALID_TOOL', `Tool "${tool}": ${option} must be ${expected}; found ${found(value)}.`)
    }
  }
}

/** The names of every option, for those who pick a tool's own members out of a larger object. */
export const toolOptionNames: readonly string[] = Object.keys(options)

function found(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : value === null ? 'null' : typeof value
}

function anything(): null {
  return null
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? null : 'a text'
}

function texts(value: unknown): string | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? null : 'a list of texts'
}

function list(value: unknown): string | null {
  return Array.isArray(value) ? null : 'a list'
}

function flag(value: unknown): string | null {
  return typeof value === 'boolean' ? null : 'true or false'
}

function callable(value: unknown): string | null {
  return typeof value === 'function' ? null : 'a function'
}

function record(value: unknown): string | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'an object'
}

function positive(value: unknown): string | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? null : 'a positive number'
}

function oneOf(...words: readonly string[]): (value: unknown) => string | null {
  return (value) =>
    typeof value === 'string' && words.includes(value) ? null : `one of ${words.map((word) => `"${word}"`).join(', ')}`
}

/** The known option a slip of the keys is nearest to, at most two edits away. */
function nearest(option: string): string | null {
  let best: string | null = null
  let least = 3
  for (const known of Object.keys(options)) {
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
