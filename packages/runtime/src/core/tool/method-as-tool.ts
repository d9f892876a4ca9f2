import { FairleadError } from '../fairlead-error.ts'
import type { InvocationContext } from '../call/invocation-context.ts'
import { tool, type Execute, type InputSchema, type Tool, type ToolDefinitionOptions } from './tool.ts'

/**
 * What makes a tool of a method: the options of `tool()` without the code. Functions among them are called with the
 * method's object as `this`.
 */
export type ToolMethodOptions<TSchema extends InputSchema, TServices = unknown> = Omit<
  ToolDefinitionOptions<TSchema, TServices>,
  'name' | 'execute' | 'worker'
> & {
  /** Default: the method's own name. */
  readonly name?: string
}

/** The options of any method, once they stand beside others whose arguments have other types. */
export type AnyMethodOptions = Omit<ToolMethodOptions<InputSchema, never>, ExecuteOption> & {
  readonly [Option in ExecuteOption]?: Execute<never, never>
}

type ExecuteOption = 'dryRun' | 'reconcile' | 'compensate'

/** A method that can serve as `execute` where services are `TServices`. Services nobody typed, the method may type. */
export type ToolMethod<TThis, TArguments, TServices> = (
  this: TThis,
  args: TArguments,
  context: InvocationContext<unknown extends TServices ? never : TServices>,
) => unknown

const codeOptions = ['needsApproval', 'impact', 'toResult', 'repair', 'dryRun', 'reconcile', 'compensate'] as const

/** A tool whose `execute` is the method, called on its object. Throws `INVALID_TOOL` when there is no such method. */
export function methodAsTool(owner: object, method: string, options: AnyMethodOptions): Tool {
  // Only looked at: a method is whatever is a function under that name, its own or inherited.
  const found: unknown = (owner as { readonly [member: string]: unknown })[method]
  if (typeof found !== 'function') {
    throw new FairleadError(
      'INVALID_TOOL',
      `${describeObject(owner)} has no method "${method}" to make a tool of; found ${found === undefined ? 'nothing' : typeof found}. ` +
        'Name a method of the object.',
    )
  }
  return defineMethod(method, { ...options, ...boundTo(owner, options) }, (args, context) =>
    Reflect.apply(found, owner, [args, context]),
  )
}

/** Checks the options as `tool()` does and gives the tool whose work is `execute`. */
export function defineMethod(method: string, options: AnyMethodOptions, execute: Execute<never, never>): Tool {
  for (const option of ['execute', 'worker']) {
    if (!(option in options)) continue
    throw new FairleadError(
      'INVALID_TOOL',
      `The method "${method}" is itself what the tool runs; found the option "${option}". Leave it out.`,
    )
  }
  const whole = { ...options, name: options.name ?? method, execute }
  // That the code takes what the schema gives was checked by the types of those who call this.
  return tool(whole as ToolDefinitionOptions<InputSchema, never>)
}

/** `WeatherPlugin` for an instance, `The object` for a plain one. For error texts. */
export function describeObject(owner: object): string {
  const { constructor } = owner as { readonly constructor?: unknown }
  return typeof constructor === 'function' && constructor !== Object && constructor.name !== ''
    ? constructor.name
    : 'The object'
}

function boundTo(owner: object, options: AnyMethodOptions): object {
  return Object.fromEntries(
    codeOptions.flatMap((option) => {
      const code: unknown = options[option]
      return typeof code === 'function' ? [[option, (code as () => unknown).bind(owner)]] : []
    }),
  )
}
