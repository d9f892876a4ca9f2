import type { ChatClient, ToolChoice } from '../chat/chat-client.ts'
import type { Message } from '../content/message.ts'
import type { ApprovalResponsePart, FunctionResultPart, HostedApprovalResponsePart } from '../content/content-part.ts'
import type { Json } from '../json/json.ts'
import type { Principal } from '../call/call-record.ts'
import type { ToolLogger } from '../call/invocation-context.ts'
import type { HistoryHook } from '../loop/history-hook.ts'
import type { LimitOptions } from '../loop/loop-limits.ts'
import type { Price, SessionLimits } from '../loop/run-budget.ts'
import type { Clock } from '../ports/clock.ts'
import type { Executor } from '../ports/executor.ts'
import type { Hash } from '../ports/hash.ts'
import type { Ids } from '../ports/ids.ts'
import type { Labels } from '../ports/labels.ts'
import type { Store } from '../ports/journal.ts'
import type { ObservationMapper } from '../ports/observation-mapper.ts'
import type { Policy } from '../ports/policy.ts'
import type { Recorder } from '../ports/recorder.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Workers } from '../ports/workers.ts'
import type { Middleware } from '../middleware/middleware-step.ts'
import type { ToolList } from '../tool/tool-list.ts'
import type { ContextProvider } from './context-provider.ts'
import type { Session } from './session.ts'

/** Everything an agent is made of. Only what has no default must be given. */
export type AgentOptions = LimitOptions & {
  /** Default `agent`. */
  readonly name?: string
  /** Without one the agent can still call tools for the host and resume such calls. */
  readonly model?: ChatClient
  readonly instructions?: string
  readonly tools?: ToolList
  /** Invocable, but not told to the model. */
  readonly additionalTools?: ToolList
  /** One list of agent, chat and function middleware, outermost first. */
  readonly middleware?: Middleware | readonly Middleware[]
  readonly contextProviders?: readonly ContextProvider[]
  /**
   * What of the stored conversation the model is shown, asked before each of its turns. A call and its result stay
   * together whatever it leaves out; what is stored does not change.
   */
  readonly history?: HistoryHook
  /** Shortens what {@link history} gave, for example to a token budget. Asked after it, under the same rules. */
  readonly compaction?: HistoryHook
  /** Handed to tools as `context.services`. */
  readonly services?: unknown
  /** Default: memory, which ends with the process. */
  readonly store?: Store
  readonly policy?: Policy
  readonly recorder?: Recorder
  readonly labels?: Labels
  readonly executor?: Executor
  readonly observation?: ObservationMapper
  /** Default: the operating system's user. */
  readonly principal?: Principal
  /** Default `dev`. */
  readonly environment?: string
  /**
   * Show every call of a batch that waits for a person, not only those that need one. Default: only where a run has no
   * conversation to come back to.
   */
  readonly showWholeBatch?: boolean
  /** `run`: a batch goes on with the answers it has. Default `wait`: until all that was shown is decided or expired. */
  readonly partialAnswers?: 'wait' | 'run'
  /** `oneAtATime`: the next request is shown when the one before is decided. Default `all`. */
  readonly approvalMode?: 'all' | 'oneAtATime'
  /**
   * For hosts without a store: a run that waits then gives a signed `continuation`, which another process with the same
   * secret goes on from. At least 32 characters.
   */
  readonly approvalSecret?: string
  /** How long a request for approval stands, in milliseconds. Default 24 hours. */
  readonly approvalTtlMs?: number
  /** How long a claim on a run stands without renewal, in milliseconds; renewed at a third. Default 15 seconds. */
  readonly leaseMs?: number
  /** Add a tool error's name and message to what the model sees. Default false. */
  readonly includeDetailedErrors?: boolean
  /** Limits of a whole conversation, over all its runs. Default none. */
  readonly sessionLimits?: Partial<SessionLimits>
  /** What a model turn costs in US dollars, where the client does not say; `null` when it is not known. */
  readonly price?: Price
  readonly logger?: ToolLogger
  readonly clock?: Clock
  readonly ids?: Ids
  readonly hash?: Hash
  readonly secrets?: Secrets
  readonly sandbox?: Sandbox
  readonly workers?: Workers
}

/**
 * What the host answers with: decisions on approvals and results of calls it answers itself go on with their suspended
 * run; decisions on a provider's own requests go on with the conversation.
 */
export type HostAnswer = ApprovalResponsePart | FunctionResultPart | HostedApprovalResponsePart

/** What starts a run (a text or messages), or goes on with one (the host's answers). */
export type RunInput = string | Message | readonly Message[] | readonly HostAnswer[]

/** Options of one run. Limits written here take the place of the agent's. */
export type RunOptions = LimitOptions & {
  /** Default: a new conversation. */
  readonly session?: Session
  readonly principal?: Principal
  readonly environment?: string
  readonly signal?: AbortSignal
  /** Tools of this run beside the agent's. */
  readonly tools?: ToolList
  /** Middleware of this run, inside the agent's. */
  readonly middleware?: Middleware | readonly Middleware[]
  /** Added after the agent's instructions. */
  readonly instructions?: string
  /** For the first turn; default `auto`. `required` and a named tool fall back to `auto` after it. */
  readonly toolChoice?: ToolChoice
  /** What a suspended run gave in another process; goes with the answers to it. */
  readonly continuation?: string
  /** Kept on the run's record, so that another process can go on with it. JSON, no secrets. */
  readonly startedWith?: Json
}
