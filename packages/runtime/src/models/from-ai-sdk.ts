import { FairleadError, type ChatClient, type ChatRequest, type ChatResponse, type JsonObject } from '../core/index.ts'
import type { AiSdkModel, AiSdkTurn } from './ai-sdk-model.ts'
import { noHeldHistory, responsesHistory, type HeldHistory } from './held-history.ts'
import { readFinishReason, readUsage } from './read-finish.ts'
import { isEmptyText, readPart } from './read-part.ts'
import { readStream } from './read-stream.ts'
import { toCallOptions, type AiSdkSettings, type CallSetting, type ProviderTool } from './to-call-options.ts'

/** How a model of an AI SDK provider is asked. */
export type FromAiSdkOptions = AiSdkSettings & {
  /** Options by provider name, for example `{ openai: { reasoningEffort: 'low' } }`; a request's own win over them. */
  readonly providerOptions?: JsonObject
  /** HTTP headers of every request. Never recorded. */
  readonly headers?: { readonly [name: string]: string }
  /**
   * Let the provider keep the conversation: only what it has not seen is sent. For OpenAI's Responses API; another model
   * is refused. The provider has to store responses, which it does unless told otherwise. Default false.
   */
  readonly serviceHeldHistory?: boolean
  /**
   * Tools the provider carries out itself, by the name the model calls them with: `{ mcp: openai.tools.mcp({ … }) }`.
   * They are not governed; bring a tool in as one of the agent's own where it has to be.
   */
  readonly providerTools?: { readonly [name: string]: ProviderTool }
}

/**
 * A model of any AI SDK provider package (`@ai-sdk/openai` and its kin, language model specification V3 or V4) as a
 * `ChatClient`. It does not retry: the loop does. Errors of the provider come through as they are; parts Fairlead has no
 * place for are left out and counted. A streamed turn that the provider did not end has no `finish`. Files given by URL
 * are loaded by the provider or refused by it, never downloaded here. Throws `INVALID_OPTION` for anything that is not
 * such a model.
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): ChatClient {
  requireModel(model)
  const { providerOptions, headers, serviceHeldHistory, providerTools, ...settings } = options
  const isHeld = serviceHeldHistory === true
  const history = isHeld ? responsesHistory(model) : noHeldHistory
  const setting: CallSetting = {
    version: model.specificationVersion,
    settings,
    providerTools: readProviderTools(providerTools ?? {}),
    headers,
    providerOptions,
    history,
    isHeld,
  }
  return {
    model: `${model.provider}:${model.modelId}`,
    async generate(request: ChatRequest) {
      const { signal } = request
      signal.throwIfAborted()
      const turn = await model.doGenerate(toCallOptions(request, setting))
      signal.throwIfAborted()
      return readTurn(turn, history)
    },
    stream(request: ChatRequest) {
      const open = (): ReturnType<AiSdkModel['doStream']> => model.doStream(toCallOptions(request, setting))
      return readStream(open, request.signal, history.conversationIdOf)
    },
  }
}

function readTurn(turn: AiSdkTurn, history: HeldHistory): ChatResponse {
  const read = turn.content.map(readPart)
  const parts = read.filter((part) => part !== undefined)
  const usage = readUsage(turn.usage)
  const conversationId = history.conversationIdOf(turn.providerMetadata)
  return {
    parts: parts.filter((part) => !isEmptyText(part)),
    finishReason: readFinishReason(turn.finishReason),
    ...(usage === undefined ? {} : { usage }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(parts.length === read.length ? {} : { ignoredParts: read.length - parts.length }),
  }
}

function readProviderTools(given: { readonly [name: string]: ProviderTool }): readonly object[] {
  return Object.entries(given).map(([name, tool]) => {
    const { id, args } = (tool ?? {}) as { readonly id?: unknown; readonly args?: unknown }
    if (typeof id === 'string' && typeof args === 'object' && args !== null) return { type: 'provider', id, name, args }
    throw new FairleadError(
      'INVALID_OPTION',
      `providerTools.${name}: expected a tool the provider carries out, for example openai.tools.mcp({ … }); found ${found(tool)}. Tools of your own belong to the agent.`,
    )
  })
}

function found(value: unknown): string {
  return typeof value === 'object' && value !== null ? `an object with ${Object.keys(value).join(', ')}` : String(value)
}

function requireModel(model: unknown): void {
  const fields: { readonly [key: string]: unknown } =
    typeof model === 'object' && model !== null ? (model as { readonly [key: string]: unknown }) : {}
  const version = fields['specificationVersion']
  const fits = (version === 'v3' || version === 'v4') && typeof fields['doGenerate'] === 'function'
  if (fits) return
  const what = version === undefined ? `a ${typeof model}` : `specificationVersion ${JSON.stringify(version)}`
  throw new FairleadError(
    'INVALID_OPTION',
    `model: expected a language model object of an AI SDK provider, specification v3 or v4, found ${what}.`,
  )
}
