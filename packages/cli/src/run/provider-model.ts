import type { ChatClient } from '@fairlead/runtime/core'
import { fromAiSdk } from '@fairlead/runtime/models'
import { parseModelSpec, type ModelSpec } from '../config/model-spec.ts'
import { usageFailure } from '../exit.ts'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The model a command line names, with its key from the environment. Each provider's package is loaded only when it is
 * asked for. `…_BASE_URL` variables point at another server of the same API. A missing key is a usage failure.
 */
export async function providerModel(text: string, variables: Variables): Promise<ChatClient> {
  const spec = parseModelSpec(text)
  switch (spec.kind) {
    case 'openai': {
      const settings = settingsFrom(spec, variables, 'OPENAI_API_KEY', 'OPENAI_BASE_URL')
      const { createOpenAI } = await import('@ai-sdk/openai')
      return fromAiSdk(createOpenAI(settings)(spec.model))
    }
    case 'anthropic': {
      const settings = settingsFrom(spec, variables, 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL')
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return fromAiSdk(createAnthropic(settings)(spec.model))
    }
    case 'google': {
      const settings = settingsFrom(spec, variables, 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_GENERATIVE_AI_BASE_URL')
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return fromAiSdk(createGoogleGenerativeAI(settings)(spec.model))
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      // Local servers want no key.
      const apiKey = variables['OPENAI_COMPATIBLE_API_KEY']
      const provider = createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: spec.url,
        ...(apiKey === undefined ? {} : { apiKey }),
      })
      return fromAiSdk(provider(spec.model))
    }
    default:
      return spec satisfies never
  }
}

function settingsFrom(
  spec: ModelSpec,
  variables: Variables,
  keyName: string,
  addressName: string,
): { readonly apiKey: string; readonly baseURL?: string } {
  const apiKey = variables[keyName]
  if (apiKey === undefined || apiKey === '') {
    throw usageFailure(`--model ${spec.kind}:${spec.model} needs a key. Set ${keyName} in the environment.`)
  }
  const baseURL = variables[addressName]
  return { apiKey, ...(baseURL === undefined || baseURL === '' ? {} : { baseURL }) }
}
