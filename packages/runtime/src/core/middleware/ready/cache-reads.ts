import { systemClock } from '../../platform/system-clock.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ToolContract } from '../../tool/contract.ts'
import type { CallResult } from '../call-result.ts'
import { functionMiddleware } from '../middleware.ts'
import type { FunctionMiddlewareStep } from '../middleware-step.ts'
import { readKey } from './read-key.ts'
import { requirePositive } from './require-positive.ts'

export type CacheReadsOptions = {
  /** Milliseconds a result may be given again, counted from the start of the call that brought it. */
  readonly ttlMs: number
  /** True when every principal may see what was read for another. Default false: each has results of its own. */
  readonly shared?: boolean
  /** How many results are kept; the one not used for longest goes first. Default 500. */
  readonly maxEntries?: number
  /** Calls that may change what reads say: everything is forgotten. Default: every tool that is not `effects: 'read'`. */
  readonly emptiedBy?: (tool: ToolContract) => boolean
  /** Default the machine's. */
  readonly clock?: Clock
}

/**
 * Answers a call of a tool that only reads with the result the same call had before: the very same tool and arguments,
 * same environment and principal. Only successes are kept, in this process. A call with a reference to a stored value is
 * never answered so, and two equal calls at the same time both run. Put it inside what checks a call.
 */
export function cacheReads(options: CacheReadsOptions): FunctionMiddlewareStep {
  const { shared = false, maxEntries = 500, emptiedBy = isNoRead, clock = systemClock } = options
  const ttlMs = requirePositive('cacheReads: ttlMs', options.ttlMs)
  requirePositive('cacheReads: maxEntries', maxEntries)
  const kept = new Map<string, { readonly result: CallResult; readonly until: number }>()
  let emptied = 0
  const empty = (): void => {
    emptied++
    kept.clear()
  }
  const keep = (key: string, result: CallResult, until: number): void => {
    kept.delete(key)
    kept.set(key, { result, until })
    const [oldest] = kept.keys()
    if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest)
  }
  return functionMiddleware(
    async (context, next) => {
      if (emptiedBy(context.tool)) {
        empty()
        // Again afterwards: a read may have gone on beside it.
        return next().finally(empty)
      }
      const key = context.tool.effects === 'read' ? readKey(context, shared) : null
      if (key === null) return next()
      const now = clock.now()
      const known = kept.get(key)
      if (known !== undefined && known.until > now) {
        keep(key, known.result, known.until)
        context.result = known.result
        return undefined
      }
      const begun = emptied
      await next()
      if (context.result?.status === 'success' && begun === emptied) keep(key, context.result, now + ttlMs)
      return undefined
    },
    { name: 'cacheReads' },
  )
}

const isNoRead = ({ effects }: ToolContract): boolean => effects !== 'read'
