import type { CallId } from '../../call/call-id.ts'
import type { ToolLogger } from '../../call/invocation-context.ts'
import { thrownText } from '../../call/thrown.ts'
import type { StopReason } from '../../loop/stop-reason.ts'
import { systemClock } from '../../platform/system-clock.ts'
import type { Clock } from '../../ports/clock.ts'
import { agentMiddleware, chatMiddleware, functionMiddleware, middlewareBundle } from '../middleware.ts'
import type { MiddlewareBundle, Next } from '../middleware-step.ts'

/**
 * How long something took, in milliseconds by the clock. `stopReason` and `status` are `null` where it ended without an
 * outcome: a run or a turn that failed, a call that was stopped or waits for a person.
 */
export type Timing =
  | { readonly kind: 'run'; readonly runId: string; readonly ms: number; readonly stopReason: StopReason | null }
  | { readonly kind: 'turn'; readonly runId: string; readonly ms: number; readonly turn: number }
  | {
      readonly kind: 'call'
      readonly runId: string
      readonly ms: number
      readonly callId: CallId
      readonly tool: string
      readonly status: 'success' | 'error' | null
      /** The tool's own time; `ms` holds waiting for its start and the middleware inside, too. */
      readonly latencyMs: number | null
    }

/**
 * Tells `tell` how long each drive of a run, each turn of the model and each call took, as they end. What `tell` throws
 * is logged and changes nothing. A run that waited for a person is told once for each drive.
 */
export function measureTime(
  tell: (timing: Timing) => void,
  options: { readonly clock?: Clock } = {},
): MiddlewareBundle {
  const { clock = systemClock } = options
  const measure = async (logger: ToolLogger, next: Next, timingOf: (ms: number) => Timing): Promise<void> => {
    const began = clock.now()
    try {
      await next()
    } finally {
      try {
        tell(timingOf(clock.now() - began))
      } catch (error) {
        logger.warn(`measureTime: ${thrownText(error)}`)
      }
    }
  }
  const run = agentMiddleware(
    (context, next) =>
      measure(context.logger, next, (ms) => {
        const { runId, result } = context
        return { kind: 'run', runId, ms, stopReason: result?.stopReason ?? null }
      }),
    { name: 'measureTime' },
  )
  const turn = chatMiddleware(
    (context, next) =>
      measure(context.logger, next, (ms) => ({ kind: 'turn', runId: context.runId, ms, turn: context.turn })),
    { name: 'measureTime' },
  )
  const call = functionMiddleware(
    (context, next) =>
      measure(context.logger, next, (ms) => {
        const { id, tool, runId, latencyMs } = context.call
        return { kind: 'call', runId, ms, callId: id, tool, status: context.result?.status ?? null, latencyMs }
      }),
    { name: 'measureTime' },
  )
  return middlewareBundle('measureTime', [run, turn, call])
}
