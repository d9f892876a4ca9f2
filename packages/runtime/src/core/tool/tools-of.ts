import { FairleadError } from '../fairlead-error.ts'
import { describeObject, methodAsTool, type AnyMethodOptions } from './method-as-tool.ts'
import type { Tool } from './tool.ts'

// By instance, or by prototype where a decorator was called the older way. Objects that are gone take theirs along.
const declared = new WeakMap<object, Map<string, AnyMethodOptions>>()
const listed = new WeakMap<object, Map<string, Listed>>()

type Listed = { readonly options: AnyMethodOptions; readonly tool: Tool }

/** Remembers that a method of an instance, or of all who inherit from a prototype, is a tool. The last one counts. */
export function declareMethod(owner: object, method: string, options: AnyMethodOptions): void {
  const methods = declared.get(owner) ?? new Map<string, AnyMethodOptions>()
  declared.set(owner, methods.set(method, options))
}

/**
 * The tools an object has by `@toolMethod`, in the order they were declared, inherited ones first. The same object has
 * the same tools each time. Throws `INVALID_TOOL` when it has none.
 */
export function toolsOf(plugin: object): readonly Tool[] {
  const tools = pluginTools(plugin)
  if (tools !== null) return tools
  const found = typeof plugin === 'function' ? `the class "${plugin.name}"` : describeObject(plugin)
  throw new FairleadError(
    'INVALID_TOOL',
    `toolsOf takes an instance of a class with @toolMethod methods; found ${found}, which has none. ` +
      'Decorate a method, or choose methods with toolsFrom(object, { method: { description, inputSchema } }).',
  )
}

/** As `toolsOf`, but `null` for an object without such methods. */
export function pluginTools(plugin: object): readonly Tool[] | null {
  const methods = methodsOf(plugin)
  if (methods.size === 0) return null
  const known = listed.get(plugin) ?? new Map<string, Listed>()
  listed.set(plugin, known)
  return Array.from(methods, ([method, options]) => {
    const before = known.get(method)
    if (before?.options === options) return before.tool
    const tool = methodAsTool(plugin, method, options)
    known.set(method, { options, tool })
    return tool
  })
}

function methodsOf(plugin: object): ReadonlyMap<string, AnyMethodOptions> {
  const methods = new Map<string, AnyMethodOptions>()
  for (const owner of lineOf(plugin)) {
    for (const [method, options] of declared.get(owner) ?? []) methods.set(method, options)
  }
  return methods
}

/** The object and its prototypes, the eldest first. */
function lineOf(plugin: object): readonly object[] {
  const line: object[] = []
  for (let owner: object | null = plugin; owner !== null; owner = Object.getPrototypeOf(owner) as object | null) {
    line.unshift(owner)
  }
  return line
}
