import { FairleadError } from '../fairlead-error.ts'
import { anything, callable, flag, having, oneOf, record, text, type OptionCheck } from '../options/option-check.ts'
import { requireKnown } from '../options/require-known.ts'
import type { AgentOptions } from './agent-options.ts'
import { limitChecks } from './known-limit-options.ts'

function providers(value: unknown): string | null {
  const isProvider = (item: unknown): boolean =>
    record(item) === null &&
    text((item as { readonly name?: unknown }).name) === null &&
    ['beforeRun', 'afterRun'].some((name) => typeof (item as { readonly [name: string]: unknown })[name] === 'function')
  return Array.isArray(value) && value.every(isProvider) ? null : 'a list of {name, beforeRun?, afterRun?}'
}

function aStore(value: unknown): string | null {
  const parts = ['journal', 'sessions', 'approvals', 'evidence', 'rules']
  const isStore = record(value) === null && parts.every((part) => record(Reflect.get(value as object, part)) === null)
  return isStore ? null : 'a store, for example memoryStore() or sqliteStore({ file })'
}

/**
 * What each option of an agent must be. The keys are the compiler's: an option that is added to the type and not here
 * does not compile. `anything` marks what is read elsewhere, with an error of its own.
 */
const checks: { readonly [Option in keyof Required<AgentOptions>]: OptionCheck } = {
  name: text,
  model: anything,
  instructions: text,
  tools: anything,
  additionalTools: anything,
  middleware: anything,
  contextProviders: providers,
  history: callable,
  compaction: callable,
  services: anything,
  store: aStore,
  policy: having('decide'),
  recorder: having('record'),
  labels: having('conceal', 'expand'),
  executor: having('execute'),
  observation: having('map'),
  principal: record,
  environment: text,
  showWholeBatch: flag,
  partialAnswers: oneOf('wait', 'run'),
  approvalMode: oneOf('all', 'oneAtATime'),
  approvalSecret: anything,
  approvalTtlMs: anything,
  leaseMs: anything,
  includeDetailedErrors: flag,
  sessionLimits: record,
  price: callable,
  logger: having('info', 'warn'),
  clock: having('now', 'sleep'),
  ids: having('next'),
  hash: having('sha256'),
  secrets: having('lease'),
  sandbox: having('run', 'describe'),
  workers: having('identity', 'isGone'),
  ...limitChecks,
}

/**
 * The options of an agent as a copy of its own, inherited members and those of classes included. Throws `INVALID_OPTION`
 * for an option no agent has or a value it cannot have. Members that are undefined are absent.
 */
export function readAgentOptions(given: AgentOptions): AgentOptions {
  requireAgentOptions(given)
  const own: { [option: string]: unknown } = {}
  for (const option of Object.keys(checks) as (keyof AgentOptions)[]) {
    const value: unknown = given[option]
    if (value !== undefined) own[option] = value
  }
  // What is inherited was not looked at yet.
  requireAgentOptions(own)
  return own
}

function requireAgentOptions(given: unknown): void {
  if (typeof given !== 'object' || given === null) {
    const found = given === null ? 'null' : typeof given
    throw new FairleadError(
      'INVALID_OPTION',
      `An agent is made of an object of options; found ${found}. Write new Agent({ model, tools }).`,
    )
  }
  requireKnown(given, { code: 'INVALID_OPTION', of: '', what: 'an agent', checks })
}
