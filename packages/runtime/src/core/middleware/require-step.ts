import { FairleadError } from '../fairlead-error.ts'
import type { FunctionMiddlewareStep, MiddlewareStep } from './middleware-step.ts'

/** The error for middleware nobody can use. */
export function invalidMiddleware(what: string): FairleadError {
  return new FairleadError('INVALID_MIDDLEWARE', what)
}

/** What the classes to extend wrap: a subclass cannot say something else. */
const kindsOfClasses = new Map<object, MiddlewareStep['kind']>()

/** Says what the middleware of a class wraps. */
export function declareKind(prototype: object, kind: MiddlewareStep['kind']): void {
  kindsOfClasses.set(prototype, kind)
}

function kindOfClass(value: object): MiddlewareStep['kind'] | undefined {
  for (let above: unknown = value; typeof above === 'object' && above !== null; above = Object.getPrototypeOf(above)) {
    const kind = kindsOfClasses.get(above)
    if (kind !== undefined) return kind
  }
  return undefined
}

/**
 * A piece of middleware from outside, its members checked and taken as they are now: what is changed on it later changes
 * nothing. Throws `INVALID_MIDDLEWARE`.
 */
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
      `Middleware must be made by agentMiddleware, chatMiddleware or functionMiddleware; found ${value === null ? 'null' : typeof value}.`,
    )
  }
  const step = value as { readonly [Member in keyof MiddlewareStep]?: unknown }
  if (step.kind !== 'agent' && step.kind !== 'chat' && step.kind !== 'function') {
    throw invalidMiddleware(
      `Middleware must be of kind "agent", "chat" or "function"; found ${JSON.stringify(step.kind) ?? 'no kind'}. ` +
        'Use a helper such as functionMiddleware(fn), or extend FunctionMiddleware.',
    )
  }
  const declared = kindOfClass(value)
  if (declared !== undefined && declared !== step.kind) {
    throw invalidMiddleware(
      `A class that extends ${declared} middleware says it is of kind "${step.kind}": a piece has one kind.`,
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
      `Middleware "${name}": timeoutMs must be a positive number of milliseconds; found ${typeof timeoutMs === 'number' ? timeoutMs : typeof timeoutMs}.`,
    )
  }
  const { kind, guard } = step
  // Checked member by member above; the class or the helper it comes from says what its context is.
  const handle = step.handle as FunctionMiddlewareStep['handle']
  return Object.freeze({
    kind: kind as 'function',
    name,
    guard,
    timeoutMs: timeoutMs as number | null,
    handle: (context, next) => handle.call(value, context, next),
  } satisfies FunctionMiddlewareStep)
}
