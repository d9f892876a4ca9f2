import { canonicalJson } from '../../json/canonical-json.ts'
import { systemClock } from '../../platform/system-clock.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FunctionContext } from '../function-context.ts'
import { functionMiddleware } from '../middleware.ts'
import type { FunctionMiddlewareStep } from '../middleware-step.ts'
import { requirePositive } from './require-positive.ts'

export type RateGuardOptions = {
  /** How many calls at most in any `windowMs` milliseconds. */
  readonly calls: number
  readonly windowMs: number
  /** What has a limit of its own. Default `toolAndPrincipal`: each tool, for each principal. */
  readonly per?: 'tool' | 'principal' | 'toolAndPrincipal'
  /** Names of the tools it counts. Default: all. */
  readonly tools?: readonly string[]
  /** Default the machine's. */
  readonly clock?: Clock
}

/**
 * Lets at most so many calls through in any window; refuses what is over with `RATE_LIMITED`. Exact under parallel calls
 * of one process, over all runs of all agents that share this piece; other processes count for themselves. A call counts
 * once, also when its run was resumed, and whether or not what stands inside lets it run.
 */
export function rateGuard(options: RateGuardOptions): FunctionMiddlewareStep {
  const { per = 'toolAndPrincipal', tools = null, clock = systemClock } = options
  const calls = requirePositive('rateGuard: calls', options.calls)
  const windowMs = requirePositive('rateGuard: windowMs', options.windowMs)
  /** By what is limited, the calls let through in the window: their ids and when, oldest first. */
  const passed = new Map<string, Map<string, number>>()
  let sweepAt = 0
  const sweep = (now: number): void => {
    if (now < sweepAt) return
    sweepAt = now + windowMs
    for (const [key, times] of passed) if (forget(times, now - windowMs) === 0) passed.delete(key)
  }
  return functionMiddleware(
    (context, next) => {
      if (tools !== null && !tools.includes(context.tool.name)) return next()
      const now = clock.now()
      sweep(now)
      const key = keyOf(context, per)
      const times = passed.get(key) ?? new Map<string, number>()
      const { id } = context.call
      if (times.has(id)) return next()
      if (forget(times, now - windowMs) >= calls) {
        context.reject(`At most ${calls} calls in ${windowMs} ms are let through here.`, { errorCode: 'RATE_LIMITED' })
      }
      times.set(id, now)
      passed.set(key, times)
      return next()
    },
    { name: 'rateGuard', guard: true },
  )
}

/** Forgets what is not after `since`; gives back how many are left. */
function forget(times: Map<string, number>, since: number): number {
  for (const [call, at] of times) {
    if (at > since) break
    times.delete(call)
  }
  return times.size
}

function keyOf({ tool, principal }: FunctionContext, per: RateGuardOptions['per']): string {
  const whose = per === 'tool' ? null : [principal.tenant ?? null, principal.id]
  return canonicalJson([per === 'principal' ? null : tool.name, whose])
}
