import type { ToolContract } from './contract.ts'

/** Anything an agent takes in `tools`: a tool, something shaped like one, a function, a plugin, a list of them. */
export type AddedTool = object | ((...args: never[]) => unknown)

/** The tools of one run while it goes on. A change takes effect with the next turn of the model. */
export interface LiveTools {
  /** Adds tools, all or none. The same tool again changes nothing; another one under a taken name is refused. */
  add(...sources: readonly AddedTool[]): void
  /** Takes tools away, by name or as they were given. What is not there is ignored; calls under way go on. */
  remove(...tools: readonly (string | { readonly contract: Pick<ToolContract, 'name'> })[]): void
  /** The contracts of what can be called now. */
  list(): readonly ToolContract[]
}
