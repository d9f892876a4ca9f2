import {
  isJsonObject,
  textOf,
  type ContentPart,
  type FilePart,
  type FunctionCallPart,
  type FunctionResultPart,
  type JsonObject,
  type Message,
} from '../core/index.ts'
import type { AiSdkMessage, AiSdkModel, AiSdkPromptPart } from './ai-sdk-model.ts'
import { readFileSource } from './read-file-source.ts'
import { toToolOutput } from './to-tool-output.ts'

/** What the mapping of a conversation depends on. */
export type PromptSetting = {
  readonly version: AiSdkModel['specificationVersion']
  readonly instructions: string | undefined
  /** Names of the tools the model is told of in this request. */
  readonly toolNames: ReadonlySet<string>
}

/**
 * A conversation as an AI SDK prompt. Provider metadata goes back untouched as provider options of its part. Empty
 * texts, messages that come out empty and approval parts of Fairlead's own are left out: providers refuse the first two
 * and never hear of the third. Never throws, whatever the model wrote earlier.
 */
export function toPrompt(messages: readonly Message[], setting: PromptSetting): readonly AiSdkMessage[] {
  const prompt: AiSdkMessage[] = []
  if (setting.instructions !== undefined && setting.instructions !== '') {
    prompt.push({ role: 'system', content: setting.instructions })
  }
  for (const message of messages) {
    if (message.role === 'system') {
      const content = textOf(message.parts)
      if (content !== '') prompt.push({ role: 'system', content, ...optionsOf(message.parts[0]) })
      continue
    }
    const content: AiSdkPromptPart[] = []
    // A note beside results has no place in a provider's tool message: it follows as the user's.
    const aside: AiSdkPromptPart[] = []
    for (const part of message.parts) {
      const mapped = toPromptPart(part, setting)
      if (mapped === undefined) continue
      if (message.role === 'tool' && !isOfTools(mapped)) aside.push(mapped)
      else content.push(mapped)
    }
    if (content.length > 0) prompt.push({ role: message.role, content })
    if (aside.length > 0) prompt.push({ role: 'user', content: aside })
  }
  return prompt
}

function isOfTools({ type }: AiSdkPromptPart): boolean {
  return type === 'tool-result' || type === 'tool-approval-response'
}

function toPromptPart(part: ContentPart, setting: PromptSetting): AiSdkPromptPart | undefined {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      if (part.text === '' && part.providerMetadata === undefined) return undefined
      return { type: part.kind, text: part.text, ...optionsOf(part) }
    case 'data':
      return { type: 'text', text: JSON.stringify(part.data), ...optionsOf(part) }
    case 'file':
      return toPromptFile(part, setting.version)
    case 'function_call':
      return {
        type: 'tool-call',
        toolCallId: part.callId,
        toolName: sendableName(part, setting),
        input: readArguments(part.arguments),
        ...(part.providerExecuted === true ? { providerExecuted: true } : {}),
        ...optionsOf(part),
      }
    case 'function_result':
      return {
        type: 'tool-result',
        toolCallId: part.callId,
        toolName: sendableName(part, setting),
        output: toToolOutput(part, setting.version),
        ...optionsOf(part),
      }
    case 'hosted_approval_response':
      return {
        type: 'tool-approval-response',
        approvalId: part.id,
        approved: part.approved,
        ...(part.reason === undefined ? {} : { reason: part.reason }),
        ...optionsOf(part),
      }
    case 'hosted_approval_request':
    // The provider knows what it asked: its interface has no place for that.
    case 'function_approval_request':
    case 'function_approval_response':
      return undefined
    default:
      // A part that a newer Fairlead wrote into the conversation.
      part satisfies never
      return undefined
  }
}

function toPromptFile(part: FilePart, version: AiSdkModel['specificationVersion']): AiSdkPromptPart {
  const source = readFileSource(part)
  if (source.kind === 'none') return { type: 'text', text: source.text, ...optionsOf(part) }
  const bare = source.kind === 'url' ? source.url : source.base64
  const tagged =
    source.kind === 'url' ? { type: 'url' as const, url: source.url } : { type: 'data' as const, data: source.base64 }
  return {
    type: 'file',
    mediaType: part.mediaType,
    data: version === 'v4' ? tagged : bare,
    ...(part.name === undefined ? {} : { filename: part.name }),
    ...optionsOf(part),
  }
}

function optionsOf(part: ContentPart | undefined): { readonly providerOptions?: JsonObject } {
  return part === undefined || !('providerMetadata' in part) || part.providerMetadata === undefined
    ? {}
    : { providerOptions: part.providerMetadata }
}

/**
 * Providers take an object only. Text that is none is shown to the model as what it was, under one name, so that it can
 * see its mistake beside the error it was answered with.
 */
function readArguments(text: string): JsonObject {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // Shown below like every other text that is no object.
  }
  return { malformed_arguments: text }
}

const acceptedName = /^[A-Za-z0-9_-]{1,64}$/

/** A name the model made up may break the provider's rules, and would have every later request of the session refused. */
function sendableName(part: FunctionCallPart | FunctionResultPart, setting: PromptSetting): string {
  const { name } = part
  if (part.providerExecuted === true || setting.toolNames.has(name) || acceptedName.test(name)) return name
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_'
}
