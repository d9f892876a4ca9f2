import type { Principal } from '@fairlead/runtime/core'
import { commandLine } from './shell-words.ts'
import { usageFailure } from './exit.ts'
import type { Host } from './host.ts'
import { type Output, outputFor } from './output/output.ts'
import { parsePrincipal } from './principal.ts'
import { locateStore, type StoreLocation } from './store-location.ts'

/** The options every command takes, as the parser gives them. */
export type CommonOptions = {
  readonly config?: string
  readonly store?: string
  readonly principal?: string
  readonly environment?: string
  readonly json?: boolean
  readonly quiet?: boolean
  readonly color?: boolean
}

/** What every command works with. */
export type CommandContext = {
  readonly host: Host
  readonly output: Output
  readonly store: StoreLocation
  readonly config: string | undefined
  readonly principal: Principal
  readonly environment: string
  /** A pastable command line of ours that reaches the same store. */
  readonly commandFor: (words: readonly string[]) => string
}

/** Reads the common options; a bad one is a usage failure. */
export function commandContext(host: Host, options: CommonOptions): CommandContext {
  const store = locateStore(options.store, host)
  const environment = options.environment ?? 'dev'
  if (environment.trim() === '') throw usageFailure('--environment expects a name, for example dev or prod.')
  const storeWords = store.isDefault ? [] : ['--store', store.file]
  return {
    host,
    output: outputFor(host, {
      json: options.json ?? false,
      quiet: options.quiet ?? false,
      color: options.color ?? true,
    }),
    store,
    config: options.config,
    principal: options.principal === undefined ? { id: host.userName } : parsePrincipal(options.principal),
    environment,
    commandFor: (words) => commandLine([...host.self, ...words, ...storeWords]),
  }
}
