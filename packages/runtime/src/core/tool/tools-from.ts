import { methodAsTool, type AnyMethodOptions, type ToolMethod, type ToolMethodOptions } from './method-as-tool.ts'
import type { ArgumentsOf, InputSchema, Tool } from './tool.ts'

/** The schemas of chosen methods, by the methods' names. */
export type MethodSchemas = { readonly [method: string]: InputSchema }

/** The options of chosen methods, by the methods' names. */
export type ChosenMethods<TSchemas extends MethodSchemas, TServices = unknown> = {
  readonly [Method in keyof TSchemas]: ToolMethodOptions<TSchemas[Method], TServices>
}

/** An object that has the chosen methods, each taking what its schema gives. */
export type WithMethods<TSchemas extends MethodSchemas, TServices = unknown> = {
  readonly [Method in keyof TSchemas]: ToolMethod<never, ArgumentsOf<TSchemas[Method]>, TServices>
}

/**
 * Chosen methods of an object as tools; what is not named stays the object's own. Methods run with the object as
 * `this`. Throws `INVALID_TOOL` for a name that is not a method. Each call makes new tools.
 */
export function toolsFrom<TSchemas extends MethodSchemas, TServices = unknown>(
  object: WithMethods<NoInfer<TSchemas>, TServices>,
  methods: ChosenMethods<TSchemas, TServices>,
): readonly Tool[] {
  const chosen: readonly (readonly [string, AnyMethodOptions])[] = Object.entries(methods)
  return chosen.map(([method, options]) => methodAsTool(object, method, options))
}
