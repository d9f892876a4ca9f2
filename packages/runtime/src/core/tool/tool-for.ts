import type { ToolMethodOptions } from './method-as-tool.ts'
import { toolMethod, type ToolMethodDecorator } from './tool-method.ts'
import { toolsFrom, type ChosenMethods, type MethodSchemas, type WithMethods } from './tools-from.ts'
import { tool, type ArgumentsOf, type InputSchema, type Tool, type ToolDefinitionOptions } from './tool.ts'

/** `tool()`, `toolMethod` as `method` and `toolsFrom` as `from`, where `context.services` is a `TServices`. */
export type DefineTool<TServices> = {
  <TSchema extends InputSchema>(
    options: ToolDefinitionOptions<TSchema, TServices>,
  ): Tool<ArgumentsOf<TSchema>, TServices>
  readonly method: <TSchema extends InputSchema>(
    options: ToolMethodOptions<TSchema, TServices>,
  ) => ToolMethodDecorator<ArgumentsOf<TSchema>, TServices>
  readonly from: <TSchemas extends MethodSchemas>(
    object: WithMethods<NoInfer<TSchemas>, TServices>,
    methods: ChosenMethods<TSchemas, TServices>,
  ) => readonly Tool[]
}

/**
 * Defines tools whose services have a type: `const defineTool = toolFor<AppServices>()`. Arguments are still inferred
 * from the schema. Nothing is checked at run time: hand the agent services of that type (`new Agent({ services })`).
 */
export function toolFor<TServices>(): DefineTool<TServices> {
  const define = <TSchema extends InputSchema>(
    options: ToolDefinitionOptions<TSchema, TServices>,
  ): Tool<ArgumentsOf<TSchema>, TServices> => tool(options)
  return Object.assign(define, { method: toolMethod, from: toolsFrom })
}
