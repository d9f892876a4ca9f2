import { isErrorCode } from '../call/error-code.ts'
import {
  anything,
  callable,
  flag,
  list,
  oneOf,
  positive,
  record,
  text,
  texts,
  type OptionCheck,
} from '../options/option-check.ts'
import { requireKnown } from '../options/require-known.ts'

/**
 * What each option of `tool()` must be. A misspelt `needsApproval` or `effects` would otherwise be no error but a tool
 * that runs unguarded: everything that is not known is refused.
 */
const options: { readonly [option: string]: OptionCheck } = {
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
  errorCodes: codes,
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
  requireKnown(given, { code: 'INVALID_TOOL', of: `Tool "${tool}": `, what: 'a tool', checks: options })
}

/** The names of every option, for those who pick a tool's own members out of a larger object. */
export const toolOptionNames: readonly string[] = Object.keys(options)

/** A code of another form would reach nobody: a call that ends with it ends as `INTERNAL`. */
function codes(value: unknown): string | null {
  return Array.isArray(value) && value.every(isErrorCode)
    ? null
    : 'a list of codes in UPPER_SNAKE (A to Z, 0 to 9 and "_", a letter first, at most 64 characters), for example "NOT_FOUND"'
}
