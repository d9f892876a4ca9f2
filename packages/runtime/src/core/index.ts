export type { Json, JsonObject } from './json/json.ts'
export { findNonJson, isJsonObject } from './json/json.ts'
export { canonicalJson } from './json/canonical-json.ts'
export { FairleadError } from './fairlead-error.ts'
export type { FairleadErrorCode } from './fairlead-error.ts'

export type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  ContentPart,
  DataPart,
  FilePart,
  FunctionCallPart,
  FunctionResultPart,
  HostedApprovalRequestPart,
  HostedApprovalResponsePart,
  ProviderMetadata,
  ReasoningPart,
  TextPart,
} from './content/content-part.ts'
export type { ConversationJson } from './content/conversation-json.ts'
export { conversationVersion, decodeConversation, encodeConversation } from './content/conversation-json.ts'
export type { Message, Role } from './content/message.ts'
export { textOf, userMessage } from './content/message.ts'

export type { JsonSchema } from './schema/json-schema.ts'
export type { StandardSchema } from './schema/standard-schema.ts'

export type {
  Effects,
  ProposedCall,
  RetryRule,
  Risk,
  ToolAnnotations,
  ToolClass,
  ToolContract,
} from './tool/contract.ts'
export type {
  ArgumentsOf,
  BrokenCall,
  Execute,
  InputSchema,
  Tool,
  ToolBehaviour,
  ToolDefinitionOptions,
} from './tool/tool.ts'
export type { ContractChanges } from './tool/with-contract.ts'
export { requireApproval, withContract } from './tool/with-contract.ts'
export { ToolCounters } from './tool/tool-counters.ts'
export type { InvocationLimits } from './tool/tool-counters.ts'
export { tool } from './tool/tool.ts'
export type { ToolLike, ToolList, ToolPlugin, ToolSource } from './tool/tool-list.ts'
export type { DefineTool } from './tool/tool-for.ts'
export { toolFor } from './tool/tool-for.ts'
export type { ToolMethod, ToolMethodOptions } from './tool/method-as-tool.ts'
export type { ToolMethodDecorator } from './tool/tool-method.ts'
export { toolMethod } from './tool/tool-method.ts'
export type { ChosenMethods, MethodSchemas, WithMethods } from './tool/tools-from.ts'
export { toolsFrom } from './tool/tools-from.ts'
export { toolsOf } from './tool/tools-of.ts'
export { ToolError } from './tool/tool-error.ts'

export type {
  ChatClient,
  ChatRequest,
  ChatResponse,
  ChatUpdate,
  FinishReason,
  ToolChoice,
  ToolDefinition,
} from './chat/chat-client.ts'

export { UpdateFolder, updatesOf } from './chat/fold-updates.ts'
export { ModelCallError, modelRetries } from './chat/model-call-error.ts'

export type { CallId } from './call/call-id.ts'
export { callIdOf, evidenceUriOf, runIdOf } from './call/call-id.ts'
export type { CallState } from './call/call-state.ts'
export { advance, callStates, legalTransitions } from './call/call-state.ts'
export type { CallRecord, Principal, RecordedDecision, RecordedResult, Transition } from './call/call-record.ts'
export type { Resolution, ResolveOptions, ResolveVerdict } from './call/resolve-call.ts'
export { resolveCall } from './call/resolve-call.ts'
export type { Envelope } from './call/envelope.ts'
export type { CoreErrorCode, ErrorCode } from './call/error-code.ts'
export { errorSentences, sentenceFor } from './call/error-code.ts'
export type { InvocationContext, ToolLogger } from './call/invocation-context.ts'
export { directObservation, observationBudget } from './call/observe.ts'

export type { Approval, ApprovalEdit, ApprovalStatus } from './approval/approval.ts'
export type { AutoApprovalRequest, AutoApprovalRule } from './approval/consult.ts'
export { autoApprove, seesViolations } from './approval/consult.ts'
export type { Remember } from './approval/remember.ts'
export type { ApprovalMiddleware, ToolApprovalOptions } from './approval/tool-approval.ts'
export { toolApproval } from './approval/tool-approval.ts'
export type { RuleScope, StandingRule } from './approval/standing-rule.ts'
export { isInForce } from './approval/standing-rule.ts'
export type { ApprovalAnswer, ApprovalVerdict } from './approval/decide-approval.ts'
export { decideApproval, judgedNow } from './approval/decide-approval.ts'

export type { CallLimit, LimitOptions, LoopLimits } from './loop/loop-limits.ts'
export type { Price, SessionLimits } from './loop/run-budget.ts'
export { limitText } from './loop/take-turn.ts'
export type { RunUpdate } from './loop/run-update.ts'
export type { StopReason } from './loop/stop-reason.ts'
export { keepsRunOpen } from './loop/stop-reason.ts'

export type { AgentOptions, HostAnswer, RunInput, RunOptions } from './agent/agent-options.ts'
export { Agent } from './agent/agent.ts'
export { directExecutor, noSandbox, noSecrets } from './agent/default-ports.ts'
export { judge } from './agent/judge.ts'
export type { JudgeOptions } from './agent/judge.ts'
export type { Again, LoopAgentOptions, LoopResult, LoopStream } from './agent/loop-agent.ts'
export { LoopAgent } from './agent/loop-agent.ts'
export type { LoopStep, LoopVerdict, OpenVerdict, Spending, Until, UntilAnswer } from './agent/loop-verdict.ts'
export type {
  ApproveDecision,
  PendingApproval,
  PendingClientCall,
  RefusedAnswer,
  RunResult,
} from './agent/run-result.ts'
export type { PendingHostedApproval } from './agent/pending-hosted.ts'
export type { RunStream } from './agent/run-stream.ts'
export type { Session } from './agent/session.ts'
export type { SessionJson } from './agent/session-json.ts'

export type { AgentToolOptions } from './agent/agent-tool.ts'
export type { ContextProvider, ProvidedContext } from './agent/context-provider.ts'
export type { HistoryHook } from './loop/history-hook.ts'

export type { AgentContext, AgentOutcome, RunUpdates } from './middleware/agent-context.ts'
export { CallResult } from './middleware/call-result.ts'
export { CallStopped } from './middleware/call-stopped.ts'
export type { ChatContext, TurnStream } from './middleware/chat-context.ts'
export type { FunctionContext } from './middleware/function-context.ts'
export { GuardFailure } from './middleware/guard-failure.ts'
export type {
  AgentMiddlewareStep,
  ChatMiddlewareStep,
  FunctionMiddlewareStep,
  Middleware,
  MiddlewareBundle,
  MiddlewareOf,
  MiddlewareOptions,
  MiddlewareStep,
  Next,
} from './middleware/middleware-step.ts'
export {
  AgentMiddleware,
  agentMiddleware,
  ChatMiddleware,
  chatMiddleware,
  FunctionMiddleware,
  functionMiddleware,
  guardTimeoutMs,
  middlewareBundle,
} from './middleware/middleware.ts'
export type { CacheReadsOptions } from './middleware/ready/cache-reads.ts'
export { cacheReads } from './middleware/ready/cache-reads.ts'
export { keepLastMessages } from './middleware/ready/keep-last-messages.ts'
export { keepWithinTokens } from './middleware/ready/keep-within-tokens.ts'
export type { LogCallsOptions } from './middleware/ready/log-calls.ts'
export { logCalls } from './middleware/ready/log-calls.ts'
export type { MaskForModelOptions } from './middleware/ready/mask-for-model.ts'
export { maskForModel } from './middleware/ready/mask-for-model.ts'
export type { Timing } from './middleware/ready/measure-time.ts'
export { measureTime } from './middleware/ready/measure-time.ts'
export type { RateGuardOptions } from './middleware/ready/rate-guard.ts'
export { rateGuard } from './middleware/ready/rate-guard.ts'
export type { RunContext } from './middleware/run-context.ts'
export type { AddedTool, LiveTools } from './tool/live-tools.ts'

export { memoryStore } from './memory/memory-store.ts'
export type { MemoryStoreOptions } from './memory/memory-store.ts'

export type { Ambient } from './ports/ambient.ts'
export type { Clock } from './ports/clock.ts'
export type { Executor } from './ports/executor.ts'
export type { Hash } from './ports/hash.ts'
export type { Ids } from './ports/ids.ts'
export type {
  ApprovalStore,
  Evidence,
  EvidenceStore,
  Journal,
  JournalEntry,
  RuleStore,
  SessionRecord,
  SessionStore,
  Store,
} from './ports/journal.ts'
export { JournalConflict } from './ports/journal-conflict.ts'
export type { Labels, ResultItem } from './ports/labels.ts'
export type { ObservationMapper } from './ports/observation-mapper.ts'
export type { Decision, Policy, PolicyQuestion } from './ports/policy.ts'
export type { RecordedStep, Recorder } from './ports/recorder.ts'
export type { Lease, RunRecord, Usage } from './ports/run-record.ts'
export type { Sandbox, SandboxCommand, SandboxOutcome } from './ports/sandbox.ts'
export type { Secrets, SecretRequest } from './ports/secrets.ts'
export type { Workers } from './ports/workers.ts'

export { operatingSystemUser } from './platform/operating-system-user.ts'
export { randomIds } from './platform/random-ids.ts'
export { sha256 } from './platform/sha256.ts'
export { systemClock } from './platform/system-clock.ts'
export { isWorkerGone } from './platform/worker-identity.ts'
