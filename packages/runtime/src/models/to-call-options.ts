import { isJsonObject, type ChatRequest, type JsonObject, type ToolChoice } from '../core/index.ts'
import type { AiSdkModel } from './ai-sdk-model.ts'
import type { HeldHistory } from './held-history.ts'
import { toPrompt } from './to-prompt.ts'

/** Sampling and the like, passed to the provider as they are. */
export type AiSdkSettings = {
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly stopSequences?: readonly string[]
  readonly seed?: number
  /** How much the model reasons. V4 models only; V3 models take it in `providerOptions`. */
  readonly reasoning?: 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
}

/**
 * A tool that the provider itself carries out (web search, code, a hosted MCP server), as its package makes it, for
 * example `openai.tools.mcp({ … })`. Not governed: no policy, approval or trace of Fairlead's sees its calls before they
 * happen. An `object`, because each generation types its own: looked at when it is given.
 */
export type ProviderTool = object

export type CallSetting = {
  readonly version: AiSdkModel['specificationVersion']
  readonly settings: AiSdkSettings
  readonly providerTools: readonly object[]
  readonly headers: { readonly [name: string]: string } | undefined
  readonly providerOptions: JsonObject | undefined
  readonly history: HeldHistory
  /** True when the provider keeps the history, and with it takes the instructions its own way. */
  readonly isHeld: boolean
}

/** One request as the options of `doGenerate` and `doStream`. Schemas and metadata are passed on, not copied. */
export function toCallOptions(request: ChatRequest, setting: CallSetting): object {
  const { tools } = request
  const providerOptions = mergeOptions(
    setting.providerOptions,
    request.providerOptions,
    setting.history.optionsFor(request.conversationId, request.instructions),
  )
  return {
    ...setting.settings,
    prompt: toPrompt(request.messages, {
      version: setting.version,
      instructions: setting.isHeld ? undefined : request.instructions,
      toolNames: new Set(tools.map((definition) => definition.name)),
    }),
    // Providers refuse a choice between no tools.
    ...(tools.length + setting.providerTools.length === 0
      ? {}
      : {
          tools: [
            ...tools.map((definition) => ({
              type: 'function',
              name: definition.name,
              description: definition.description,
              inputSchema: definition.inputSchema,
              ...(definition.strict ? { strict: true } : {}),
            })),
            ...setting.providerTools,
          ],
          toolChoice: toToolChoice(request.toolChoice),
        }),
    abortSignal: request.signal,
    ...(setting.headers === undefined ? {} : { headers: setting.headers }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

function toToolChoice(choice: ToolChoice): object {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool }
}

/** Options by provider; a later one wins member by member. */
function mergeOptions(...sources: readonly (JsonObject | undefined)[]): JsonObject | undefined {
  const given = sources.filter((source) => source !== undefined)
  if (given.length <= 1) return given[0]
  const merged: { [provider: string]: JsonObject[string] } = {}
  for (const source of given) {
    for (const [provider, options] of Object.entries(source)) {
      const before = merged[provider]
      merged[provider] = isJsonObject(before) && isJsonObject(options) ? { ...before, ...options } : options
    }
  }
  return merged
}
