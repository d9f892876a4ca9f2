import { anything, record, text, type OptionCheck } from '../options/option-check.ts'
import { requireKnown } from '../options/require-known.ts'
import type { RunOptions } from './agent-options.ts'
import { limitChecks } from './known-limit-options.ts'

/** What each option of a run must be. The keys are the compiler's; `anything` marks what is read elsewhere. */
const checks: { readonly [Option in keyof Required<RunOptions>]: OptionCheck } = {
  session: (value) =>
    typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' && value.id !== ''
      ? null
      : 'a conversation, as await agent.session(id) gives it',
  principal: record,
  environment: text,
  signal: (value) =>
    typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value
      ? null
      : 'an AbortSignal',
  tools: anything,
  middleware: anything,
  instructions: text,
  toolChoice: anything,
  continuation: anything,
  startedWith: anything,
  ...limitChecks,
}

/** Throws `INVALID_OPTION` for an option no run has or a value it cannot have: a misspelt limit is none. */
export function requireRunOptions(given: RunOptions): void {
  requireKnown(given, { code: 'INVALID_OPTION', of: '', what: 'a run', checks })
}
