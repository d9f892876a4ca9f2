import type { CallRecord } from '../../call/call-record.ts'
import type { ToolLogger } from '../../call/invocation-context.ts'
import type { Json } from '../../json/json.ts'
import type { RunUpdate } from '../../loop/run-update.ts'
import { agentMiddleware } from '../middleware.ts'
import type { AgentMiddlewareStep } from '../middleware-step.ts'

export type LogCallsOptions = {
  /** Write the arguments' values too; they may hold what a log must not. Default false: names of arguments only. */
  readonly arguments?: boolean
}

/**
 * Writes one line to the agent's `logger` for each call that has ended or waits, once that is recorded: the tool, the
 * state, milliseconds. Calls that never ran (refused, invalid, unknown) are written as well, failures with `warn`.
 * A logger that throws changes nothing. Agent middleware, because other kinds see only calls that may run.
 */
export function logCalls(options: LogCallsOptions = {}): AgentMiddlewareStep {
  const withValues = options.arguments ?? false
  return agentMiddleware(
    (context, next) => {
      const { logger } = context
      context.stream.tap((update) => write(logger, update, withValues))
      return next()
    },
    { name: 'logCalls' },
  )
}

function write(logger: ToolLogger, update: RunUpdate, withValues: boolean): void {
  if (update.kind !== 'call-moved') return
  const { call, transitions } = update
  // What a call ended as is its state before the last one; the last only says that the model may see it.
  const ended = transitions.findLast(({ state }) => state !== 'Observed')?.state ?? call.state
  if (call.result === null && !waits(call)) return
  const status = call.result?.status ?? 'waits'
  const fields = {
    call: call.id,
    tool: call.tool,
    state: ended,
    errorCode: call.result?.errorCode ?? null,
    latencyMs: call.latencyMs,
    arguments: withValues ? call.arguments : argumentNames(call),
  } satisfies { readonly [key: string]: Json }
  const because = fields.errorCode === null ? '' : `, ${fields.errorCode}`
  const took = call.latencyMs === null ? '' : `, ${call.latencyMs} ms`
  try {
    logger[status === 'error' ? 'warn' : 'info'](`${call.tool}: ${ended}${because}${took}`, fields)
  } catch {
    // A hook that throws would end the run.
  }
}

function waits({ state }: CallRecord): boolean {
  return state === 'NeedsApproval' || state === 'AwaitingClient'
}

function argumentNames(call: CallRecord): Json {
  return call.arguments === null ? null : Object.keys(call.arguments)
}
