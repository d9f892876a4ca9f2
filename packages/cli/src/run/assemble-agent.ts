import type { Agent, ChatClient, Principal } from '@fairlead/runtime/core'
import type { ConfigOptions, FairleadConfig } from '../config/define-config.ts'
import { loadConfig } from '../config/load-config.ts'
import { isAgent, isChatClient } from '../config/read-config.ts'
import { usageFailure } from '../exit.ts'
import type { ConfigSource, StartedWith } from '../started-with.ts'
import { providerModel } from './provider-model.ts'

/** What is needed to make the agent of one command. `data` is an absolute path. */
export type AgentRequest = {
  readonly source: ConfigSource
  readonly data: string | null
  /** True when `--offline` was asked for, now or when the run was started. */
  readonly offline: boolean
  /** `--model`, now or when the run was started. */
  readonly model: string | null
  readonly variables: { readonly [name: string]: string | undefined }
  /** False for commands that never ask a model. */
  readonly needsModel: boolean
  readonly principal: Principal
  readonly environment: string
  readonly storeFile: string
  readonly codeCache: string | false
}

/** An agent with what made it. It is not bound to a store yet: `agent.with({ store })` does that. */
export type AssembledAgent = {
  readonly agent: Agent
  readonly config: FairleadConfig
  readonly startedWith: StartedWith
  /** True where `--data` was given and the configuration did not look at it. */
  readonly ignoresData: boolean
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type MadeAgent = { readonly agent: Agent; readonly ignoresData: boolean }

async function makeAgent(config: FairleadConfig, request: AgentRequest): Promise<MadeAgent> {
  const { data } = request
  if (typeof config.agent !== 'function') return { agent: config.agent, ignoresData: data !== null }
  let ignoresData = data !== null
  const options: ConfigOptions = {
    principal: request.principal,
    environment: request.environment,
    storeFile: request.storeFile,
  }
  if (data !== null) {
    const look = (): string => {
      ignoresData = false
      return data
    }
    Object.defineProperty(options, 'data', { enumerable: true, get: look })
  }
  let agent: unknown
  try {
    agent = await config.agent(options)
  } catch (error) {
    throw usageFailure(`${request.source.file}: making the agent failed: ${reasonOf(error)}`, error)
  }
  if (isAgent(agent)) return { agent, ignoresData }
  throw usageFailure(`${request.source.file}: the "agent" function must give an Agent; found ${typeof agent}.`)
}

function makeOfflineModel(config: FairleadConfig, file: string): ChatClient {
  const { offlineModel } = config
  if (offlineModel === undefined) {
    throw usageFailure(
      `${file} has no "offlineModel", so --offline has nothing to run with. Add one, or leave --offline out.`,
    )
  }
  let model: unknown
  try {
    model = typeof offlineModel === 'function' ? offlineModel() : offlineModel
  } catch (error) {
    throw usageFailure(`${file}: making the offline model failed: ${reasonOf(error)}`, error)
  }
  if (isChatClient(model)) return model
  throw usageFailure(`${file}: the "offlineModel" function must give a chat client; found ${typeof model}.`)
}

/** Loads the configuration and makes its agent. Every fault of the configuration is a usage failure; nothing is written. */
export async function assembleAgent(request: AgentRequest): Promise<AssembledAgent> {
  const { source } = request
  const config = await loadConfig(source.file, request)
  const { agent: made, ignoresData } = await makeAgent(config, request)
  // An example ships without a model, so it runs with its offline one until somebody configures another.
  const offline = request.offline || (source.kind === 'example' && made.model === undefined && request.model === null)
  const named =
    request.model === null || offline || !request.needsModel
      ? undefined
      : await providerModel(request.model, request.variables)
  if (request.needsModel && !offline && made.model === undefined && named === undefined) {
    throw usageFailure(
      `${source.file}: the agent has no model. Give it one, name one with --model, or add an "offlineModel" and use --offline.`,
    )
  }
  const usesOffline = request.needsModel && offline
  const model = usesOffline ? makeOfflineModel(config, source.file) : named
  const agent = model === undefined ? made : made.with({ model })
  return {
    agent,
    config,
    ignoresData,
    startedWith: {
      config: source.kind === 'file' ? source.file : null,
      example: source.kind === 'example' ? source.name : null,
      data: request.data,
      offline,
      model: request.model,
      principal: request.principal,
      environment: request.environment,
    },
  }
}
