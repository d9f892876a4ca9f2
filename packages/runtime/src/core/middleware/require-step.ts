import { FairleadError } from '../fairlead-error.ts'
import type { MiddlewareStep } from './middleware-step.ts'

/** The error for middleware nobody can use. */
export function invalidMiddleware(what: string): FairleadError {
  return new FairleadError('INVALID_MIDDLEWARE', what)
}

/** A piece of middleware from outside, its members checked. Throws `INVALID_MIDDLEWARE`. */
export function requireStep(value: unknown): MiddlewareStep {
  if (typeof value === 'function') {
    const name = value.name === '' ? 'a function' : `the function "${value.name}"`
    throw invalidMiddleware(
      `Middleware must say what it wraps; found ${name}. ` +
        'Write agentMiddleware(fn), chatMiddleware(fn) or functionMiddleware(fn).',
    )
  }
  if (typeof value !== 'object' || value === null) {
    throw invalidMiddleware(
      `Middleware must be made by agentMiddleware, chatMiddleware or functionMiddleware; found ${typeof value}.`,
    )
  }
  const step = value as { readonly [Member in keyof MiddlewareStep]?: unknown }
  if (step.kind !== 'agent' && step.kind !== 'chat' && step.kind !== 'function') {
    throw invalidMiddleware(
      `Middleware must be of kind "agent", "chat" or "function"; found ${JSON.stringify(step.kind) ?? 'no kind'}. ` +
        'Use a helper such as functionMiddleware(fn), or extend FunctionMiddleware.',
    )
  }
  const name = typeof step.name === 'string' && step.name.trim() !== '' ? step.name : null
  if (name === null)
    throw invalidMiddleware(`${step.kind} middleware needs a name; found ${JSON.stringify(step.name) ?? 'none'}.`)
  if (typeof step.handle !== 'function') throw invalidMiddleware(`Middleware "${name}" has no handle(context, next).`)
  if (typeof step.guard !== 'boolean') throw invalidMiddleware(`Middleware "${name}": guard must be true or false.`)
  const { timeoutMs } = step
  if (timeoutMs !== null && !(typeof timeoutMs === 'number' && Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw invalidMiddleware(
      `Middleware "${name}": timeoutMs must be a positive number of milliseconds; found ${String(timeoutMs)}.`,
    )
  }
  return value as MiddlewareStep
}
