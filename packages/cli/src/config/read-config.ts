import type { Agent, ChatClient } from '@fairlead/runtime/core'
import { usageFailure } from '../exit.ts'
import type { FairleadConfig } from './define-config.ts'

const shape = 'defineConfig({ agent, offlineModel?, report? })'
const knownKeys: readonly string[] = ['agent', 'offlineModel', 'report']

function has(value: unknown, ...methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return methods.every((method) => typeof (value as { readonly [key: string]: unknown })[method] === 'function')
}

/** True for an agent of whatever copy of the library made it: the methods decide, not the class. */
export function isAgent(value: unknown): value is Agent {
  return has(value, 'run', 'stream', 'resume', 'call', 'tools', 'with')
}

/** True for anything that implements the chat client's one obligatory method. */
export function isChatClient(value: unknown): value is ChatClient {
  return has(value, 'generate')
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Checks what a configuration file exported; anything but the documented shape is a usage failure naming the field. */
export function readConfig(value: unknown, file: string): FairleadConfig {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageFailure(`${file}: the default export must be ${shape}; found ${nameOf(value)}.`)
  }
  if (isAgent(value)) throw usageFailure(`${file}: export the agent inside a configuration: ${shape}.`)
  const unknownKey = Object.keys(value).find((key) => !knownKeys.includes(key))
  if (unknownKey !== undefined) {
    throw usageFailure(`${file}: "${unknownKey}" is not part of a configuration; expected ${knownKeys.join(', ')}.`)
  }
  const { agent, offlineModel, report } = value as { readonly [key: string]: unknown }
  if (!isAgent(agent) && typeof agent !== 'function') {
    throw usageFailure(`${file}: "agent" must be an Agent or a function that makes one; found ${nameOf(agent)}.`)
  }
  if (offlineModel !== undefined && !isChatClient(offlineModel) && typeof offlineModel !== 'function') {
    throw usageFailure(
      `${file}: "offlineModel" must be a chat client or a function that makes one; found ${nameOf(offlineModel)}.`,
    )
  }
  if (report !== undefined && typeof report !== 'function') {
    throw usageFailure(`${file}: "report" must be a function of the run's result; found ${nameOf(report)}.`)
  }
  // The checks above are the whole shape that can be seen without calling anything.
  return value as FairleadConfig
}
