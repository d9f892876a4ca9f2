import type { ToolDefinition } from '../chat/chat-client.ts'
import { FairleadError } from '../fairlead-error.ts'
import { projectSchema } from '../schema/strict-projection.ts'
import type { ToolContract } from './contract.ts'
import type { AddedTool, LiveTools } from './live-tools.ts'
import { collectTools } from './tool-list.ts'
import type { Tool } from './tool.ts'

/** Tools by name: those the model is told of, and all that can be called. */
export class ToolSet {
  readonly advertised: ReadonlyMap<string, Tool>
  readonly callable: ReadonlyMap<string, Tool>
  #definitions: readonly ToolDefinition[] | undefined

  constructor(advertised: ReadonlyMap<string, Tool>, callable: ReadonlyMap<string, Tool>) {
    this.advertised = advertised
    this.callable = callable
  }

  /** What the model is told. Made when first asked for, once for all runs that share this set. */
  get definitions(): readonly ToolDefinition[] {
    // Frozen: chat middleware of one run must not change what another one's model is told.
    this.#definitions ??= Object.freeze(
      [...this.advertised.values()].map(({ contract }) => {
        const { schema, strict } = projectSchema(contract.inputSchema, contract.strict)
        return Object.freeze({ name: contract.name, description: contract.description, inputSchema: schema, strict })
      }),
    )
    return this.#definitions
  }

  /** A set with more tools in it. Throws `DUPLICATE_TOOL`, nothing added, when a name is taken by another tool. */
  with(added: ReadonlyMap<string, Tool>): ToolSet {
    if (added.size === 0) return this
    const callable = collectTools([...this.callable.values(), ...added.values()])
    return new ToolSet(new Map([...this.advertised, ...added]), callable)
  }

  without(names: readonly string[]): ToolSet {
    const rest = (tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> =>
      new Map([...tools].filter(([name]) => !names.includes(name)))
    return new ToolSet(rest(this.advertised), rest(this.callable))
  }
}

/** How the tools of a run differ from those it began with. */
export type ToolChanges = {
  readonly gained: ReadonlyMap<string, Tool>
  readonly lost: ReadonlySet<string>
  /** Tools the run began with that others of their name have taken the place of. */
  readonly replaced: ReadonlySet<Tool>
}

/** The tools of one run. Starts with its agent's; a change copies, so that neither the agent nor other runs see it. */
export class RunTools implements LiveTools {
  #tools: ToolSet
  #open = true
  #handle: LiveTools | undefined
  readonly #gained = new Map<string, Tool>()
  readonly #lost = new Set<string>()
  readonly #replaced = new Set<Tool>()

  constructor(tools: ToolSet) {
    this.#tools = tools
  }

  /** What is handed out: it can change the tools and leads to none of them. */
  get handle(): LiveTools {
    this.#handle ??= Object.freeze({
      add: (...sources: readonly AddedTool[]) => this.add(...sources),
      remove: (...tools: readonly (string | Tool)[]) => this.remove(...tools),
      list: () => this.list(),
    })
    return this.#handle
  }

  get current(): ToolSet {
    return this.#tools
  }

  /** What changed since the run began, or `null`. */
  get changes(): ToolChanges | null {
    return this.#gained.size === 0 && this.#lost.size === 0
      ? null
      : { gained: this.#gained, lost: this.#lost, replaced: this.#replaced }
  }

  /** Changes of an earlier drive of the run. What was brought anew since stands in the place of what was there. */
  restore({ gained, lost, replaced }: ToolChanges): void {
    const outdated = [...gained.keys()].filter((name) => {
      const present = this.#tools.callable.get(name)
      return present !== undefined && replaced.has(present)
    })
    this.remove(...outdated)
    for (const tool of replaced) this.#replaced.add(tool)
    const missing = [...gained.values()].filter((tool) => !this.#tools.callable.has(tool.contract.name))
    this.add(...missing)
    this.remove(...lost)
  }

  /** After the run has stopped nothing can be added any more. */
  close(): void {
    this.#open = false
  }

  add(...sources: readonly AddedTool[]): void {
    this.#requireOpen('add')
    const added = collectTools(sources, 'tools.add')
    this.#tools = this.#tools.with(added)
    for (const [name, tool] of added) {
      this.#gained.set(name, tool)
      this.#lost.delete(name)
    }
  }

  remove(...tools: readonly (string | { readonly contract: Pick<ToolContract, 'name'> })[]): void {
    this.#requireOpen('remove')
    const names = tools.map(nameOf)
    for (const name of names) {
      const tool = this.#tools.callable.get(name)
      if (tool !== undefined && this.#gained.get(name) !== tool) this.#replaced.add(tool)
    }
    this.#tools = this.#tools.without(names)
    for (const name of names) {
      this.#gained.delete(name)
      this.#lost.add(name)
    }
  }

  list(): readonly ToolContract[] {
    return [...this.#tools.callable.values()].map((tool) => tool.contract)
  }

  #requireOpen(what: string): void {
    if (this.#open) return
    throw new FairleadError('RUN_ENDED', `tools.${what} works while a run goes on; this one has stopped.`)
  }
}

function nameOf(tool: unknown): string {
  if (typeof tool === 'string') return tool
  const contract: unknown = typeof tool === 'object' && tool !== null && 'contract' in tool ? tool.contract : null
  const name: unknown = typeof contract === 'object' && contract !== null && 'name' in contract ? contract.name : null
  if (typeof name === 'string') return name
  const found = tool === null ? 'null' : typeof tool
  throw new FairleadError('INVALID_TOOL', `tools.remove takes names, or tools that tool() made; found ${found}.`)
}
