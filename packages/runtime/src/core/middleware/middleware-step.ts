import type { ApprovalMiddleware } from '../approval/tool-approval.ts'
import type { AgentContext } from './agent-context.ts'
import type { ChatContext } from './chat-context.ts'
import type { FunctionContext } from './function-context.ts'

/** Goes on to the rest of the chain and comes back when that is done. */
export type Next = () => Promise<void>

export type MiddlewareOptions = {
  /** Named in the journal, in errors and in approval requests. Default: the function's name. */
  readonly name?: string
  /**
   * A guard fails closed: when it throws, hangs or returns without going on or giving a result, what it guards does not
   * happen; when that has happened already, the result is withheld and the run stops. Default false.
   */
  readonly guard?: boolean
  /**
   * Milliseconds for its own work, before and after `next` each; what runs inside `next` is not counted. Default 30
   * seconds for a guard, no limit otherwise.
   */
  readonly timeoutMs?: number
}

/** One piece of middleware. Made by a helper of its kind or by extending the class of its kind. */
export type MiddlewareOf<Kind, Context> = Required<Pick<MiddlewareOptions, 'name' | 'guard'>> & {
  readonly kind: Kind
  readonly timeoutMs: number | null
  handle(context: Context, next: Next): void | Promise<void>
}

export type AgentMiddlewareStep = MiddlewareOf<'agent', AgentContext>
export type ChatMiddlewareStep = MiddlewareOf<'chat', ChatContext>
export type FunctionMiddlewareStep = MiddlewareOf<'function', FunctionContext>

export type MiddlewareStep = AgentMiddlewareStep | ChatMiddlewareStep | FunctionMiddlewareStep

/** Several pieces of any kind that only work together: taken as a whole or refused as a whole. */
export type MiddlewareBundle = {
  readonly kind: 'bundle'
  readonly name: string
  readonly parts: readonly MiddlewareStep[]
}

/** What may stand in `middleware`: one list for all kinds. */
export type Middleware = MiddlewareStep | MiddlewareBundle | ApprovalMiddleware
