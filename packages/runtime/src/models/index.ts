export type {
  AiSdkFinishReason,
  AiSdkModel,
  AiSdkPart,
  AiSdkReader,
  AiSdkStream,
  AiSdkTurn,
  AiSdkUsage,
} from './ai-sdk-model.ts'
export { fromAiSdk } from './from-ai-sdk.ts'
export type { FromAiSdkOptions } from './from-ai-sdk.ts'
export type { AiSdkSettings, ProviderTool } from './to-call-options.ts'
export { recorded } from './recorded.ts'
export type { RecordedOptions } from './recorded.ts'
export type { Redaction } from './redact-json.ts'
