import type { AgentContext } from './agent-context.ts'
import type { ChatContext } from './chat-context.ts'
import type { FunctionContext } from './function-context.ts'
import type {
  AgentMiddlewareStep,
  ChatMiddlewareStep,
  FunctionMiddlewareStep,
  MiddlewareBundle,
  MiddlewareOf,
  MiddlewareOptions,
  MiddlewareStep,
  Next,
} from './middleware-step.ts'
import { declareKind, invalidMiddleware as invalid, requireStep } from './require-step.ts'

type Handle<Context> = (context: Context, next: Next) => void | Promise<void>

/** Wraps a whole run, from its input to its outcome; each time it is driven, when a run is resumed too. */
export function agentMiddleware(handle: Handle<AgentContext>, options: MiddlewareOptions = {}): AgentMiddlewareStep {
  return stepOf('agent', handle, options)
}

/** Wraps each turn of the model. */
export function chatMiddleware(handle: Handle<ChatContext>, options: MiddlewareOptions = {}): ChatMiddlewareStep {
  return stepOf('chat', handle, options)
}

/** Wraps each call that was validated, allowed and, where needed, approved; `next` is its execution. */
export function functionMiddleware(
  handle: Handle<FunctionContext>,
  options: MiddlewareOptions = {},
): FunctionMiddlewareStep {
  return stepOf('function', handle, options)
}

/** Pieces that only work together. Where one of them cannot be used, none is. */
export function middlewareBundle(name: string, parts: readonly MiddlewareStep[]): MiddlewareBundle {
  return Object.freeze({ kind: 'bundle', name, parts: Object.freeze(parts.map((part) => requireStep(part))) })
}

/** How long a guard may take by itself unless it says otherwise, in milliseconds. */
export const guardTimeoutMs = 30_000

abstract class MiddlewareClass {
  /** Named in the journal, in errors and in approval requests. */
  get name(): string {
    return this.constructor.name
  }

  /** See `MiddlewareOptions`. */
  get guard(): boolean {
    return false
  }

  get timeoutMs(): number | null {
    return this.guard ? guardTimeoutMs : null
  }
}

/** Agent middleware as a class: extend it and write `handle`. Override `name`, `guard`, `timeoutMs` as getters. */
export abstract class AgentMiddleware extends MiddlewareClass implements AgentMiddlewareStep {
  readonly kind = 'agent'
  abstract handle(context: AgentContext, next: Next): void | Promise<void>
}

/** Chat middleware as a class. */
export abstract class ChatMiddleware extends MiddlewareClass implements ChatMiddlewareStep {
  readonly kind = 'chat'
  abstract handle(context: ChatContext, next: Next): void | Promise<void>
}

/** Function middleware as a class. */
export abstract class FunctionMiddleware extends MiddlewareClass implements FunctionMiddlewareStep {
  readonly kind = 'function'
  abstract handle(context: FunctionContext, next: Next): void | Promise<void>
}

declareKind(AgentMiddleware.prototype, 'agent')
declareKind(ChatMiddleware.prototype, 'chat')
declareKind(FunctionMiddleware.prototype, 'function')

function stepOf<Kind extends 'agent' | 'chat' | 'function', Context>(
  kind: Kind,
  handle: Handle<Context>,
  options: MiddlewareOptions,
): MiddlewareOf<Kind, Context> {
  const given: unknown = handle
  if (typeof given === 'object' && given !== null && 'kind' in given) {
    const found = String(given.kind)
    throw invalid(
      found === kind
        ? `${kind}Middleware() takes a function; found ${kind} middleware already made. Use it as it is.`
        : `${kind}Middleware() was given ${found} middleware: a piece has one kind.`,
    )
  }
  if (typeof given !== 'function')
    throw invalid(`${kind}Middleware() takes a function (context, next); found ${typeof given}.`)
  const guard = options.guard ?? false
  const step = {
    kind,
    name: options.name ?? (handle.name === '' ? `${kind} middleware` : handle.name),
    guard,
    timeoutMs: options.timeoutMs ?? (guard ? guardTimeoutMs : null),
    handle,
  }
  return requireStep(step) as typeof step
}
