import type { Agent, ChatClient, Json, Principal, RunResult } from '@fairlead/runtime/core'

/** What the command line tells a configuration that builds its agent itself. Paths are absolute. */
export type ConfigOptions = {
  /** `--data DIR`, when given. */
  readonly data?: string
  readonly principal: Principal
  readonly environment: string
  /** The store in use; files an agent keeps may lie beside it. */
  readonly storeFile: string
}

/** What a `fairlead.config` file exports as its default. */
export type FairleadConfig = {
  /** The agent, or a function that makes it for one command. The command gives it the store. */
  readonly agent: Agent | ((options: ConfigOptions) => Agent | Promise<Agent>)
  /** The model `--offline` uses, or a function that makes it. */
  readonly offlineModel?: ChatClient | (() => ChatClient)
  /** Turns a run's result into the `report` of `--json`; `null` when there is none. */
  readonly report?: (result: RunResult) => Json | null
}

/** Gives the configuration back as it is; it exists so that an editor knows the fields. */
export function defineConfig(config: FairleadConfig): FairleadConfig {
  return config
}
