import { FairleadError } from '../fairlead-error.ts'
import { fromAiSdkTool, fromFunction, isAiSdkTool, type FunctionTool } from './foreign-tool.ts'
import { describeObject } from './method-as-tool.ts'
import { toolOptionNames } from './tool-options.ts'
import { tool, type InputSchema, type Tool } from './tool.ts'
import { pluginTools } from './tools-of.ts'

/** What may stand in `tools`: a tool, something shaped like one, a list, a plugin, or anything that has `tools`. */
export type ToolSource =
  | Tool
  | ToolLike
  | ((...args: never[]) => unknown)
  | { readonly tools: ToolList }
  | ToolPlugin
  | readonly ToolSource[]

/** A plain object with a schema and perhaps an `execute`, as other libraries write tools. */
export type ToolLike = {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly execute?: (...args: never[]) => unknown
}

/**
 * An instance of a class with `@toolMethod` methods. Decorators leave no trace in types: that it has such methods is
 * checked when the agent is made.
 */
export type ToolPlugin = object & { readonly inputSchema?: never; readonly length?: never }

/** A list of tools, or tools by name as the AI SDK writes them. */
export type ToolList = readonly ToolSource[] | ToolPlugin | { readonly [name: string]: unknown }

/** Flattens lists and toolboxes into one Map by name. The same tool twice is fine; two tools under one name are not. */
export function collectTools(sources: unknown, place = 'tools'): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>()
  const origins = new Map<string, string>()
  const seen = new Set<unknown>()
  const add = (source: unknown, at: string): void => {
    if (isTool(source)) {
      const { name } = source.contract
      const known = tools.get(name)
      if (known === source) return
      if (known !== undefined) {
        throw new FairleadError(
          'DUPLICATE_TOOL',
          `Two different tools are named "${name}": one at ${origins.get(name) ?? 'tools'} (${known.contract.origin}), ` +
            `one at ${at} (${source.contract.origin}). Rename one, or give an MCP server a prefix.`,
        )
      }
      tools.set(name, source)
      origins.set(name, at)
      return
    }
    if (typeof source === 'function') return add(memoised(source as FunctionTool, at), at)
    if (typeof source !== 'object' || source === null) throw notATool(source, at)
    if (seen.has(source)) return
    seen.add(source)
    const plugin = pluginTools(source)
    if (plugin !== null) return addPlugin(source, plugin, at)
    // Before its members are looked at: an agent's method `tools` is no tool.
    if (isAgent(source)) throw notATool(source, at)
    if (Array.isArray(source)) source.forEach((item, index) => add(item, `${at}[${index}]`))
    else if ('tools' in source) add(source.tools, `${at}.tools`)
    else if (isToolLike(source)) add(fromToolLike(source), at)
    else addByName(source, at)
  }
  // The same function listed twice is one tool.
  const functions = new Map<FunctionTool, Tool>()
  const memoised = (source: FunctionTool, at: string): Tool => {
    const known = functions.get(source) ?? fromFunction(source, at)
    functions.set(source, known)
    return known
  }
  const addPlugin = (source: object, methods: readonly Tool[], at: string): void => {
    for (const method of methods) add(method, `${at}.${method.contract.name}`)
    // A list beside the methods counts; a method of that name does not make a list.
    if ('tools' in source && typeof source.tools !== 'function') add(source.tools, `${at}.tools`)
  }
  const addByName = (source: object, at: string): void => {
    const entries = Object.entries(source)
    if (entries.length === 0 && (source !== sources || isInstance(source))) throw notATool(source, at)
    for (const [name, value] of entries) {
      if (isTool(value)) add(value, `${at}.${name}`)
      else if (isAiSdkTool(value)) add(fromAiSdkTool(name, value, `${at}.${name}`), `${at}.${name}`)
      else if (typeof value === 'object' && value !== null && isAgent(value)) throw notATool(value, `${at}.${name}`)
      // Of an instance it is the class that lacks something, not one of its fields.
      else if (isInstance(source)) throw notATool(source, at)
      else throw notATool(value, `${at}.${name}`)
    }
  }
  add(sources, place)
  return tools
}

function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && 'contract' in value && 'input' in value && 'execute' in value
}

function isToolLike(value: object): value is ToolLike {
  return 'name' in value && 'inputSchema' in value
}

/** Other libraries' objects carry members of their own: only those a tool knows are read, and checked by `tool`. */
function fromToolLike(source: ToolLike): Tool {
  const own: object = Object.fromEntries(Object.entries(source).filter(([member]) => toolOptionNames.includes(member)))
  return tool(own as Parameters<typeof tool>[0])
}

function isInstance(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== null && prototype !== Object.prototype
}

/** An agent or a loop of one, by what it can do: core's agents lie above its tools. */
function isAgent(value: object): value is { readonly name?: unknown; readonly asTool?: unknown } {
  return can(value, 'run') && can(value, 'stream') && (can(value, 'asTool') || can(value, 'resume'))
}

function can(value: object, method: string): boolean {
  return typeof (value as { readonly [member: string]: unknown })[method] === 'function'
}

function notATool(value: unknown, at: string): FairleadError {
  return new FairleadError(
    'INVALID_TOOL',
    `${at} must be a tool, a list of tools or something with "tools"; found ${foundText(value)}. ${adviceFor(value)}`,
  )
}

function adviceFor(value: unknown): string {
  if (typeof value !== 'object' || value === null || !isAgent(value)) {
    return 'Write tool({ name, description, inputSchema, execute }).'
  }
  return can(value, 'asTool')
    ? 'Write agent.asTool({ name, description }) for each agent that is to be one.'
    : 'Write tool({ name, description, inputSchema, execute: async (args) => (await loop.run(args.task)).text }).'
}

function foundText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  if (isAgent(value) && can(value, 'asTool')) {
    return typeof value.name === 'string' ? `the agent ${JSON.stringify(value.name)}` : 'an agent'
  }
  if (isAgent(value)) return `an instance of ${describeObject(value)}`
  if (isInstance(value)) return `an instance of ${describeObject(value)} without @toolMethod methods`
  return `an object with ${Object.keys(value).slice(0, 6).join(', ')}`
}
