import type { Json, JsonObject } from '../json/json.ts'
import type { InvocationContext } from '../call/invocation-context.ts'
import { FairleadError } from '../fairlead-error.ts'
import { requireConsistent } from './require-consistent.ts'
import { requireKnownOptions } from './tool-options.ts'
import { readSchema, type SchemaReader } from '../schema/read-schema.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { StandardSchema } from '../schema/standard-schema.ts'
import type { SchemaIssue } from '../schema/schema-issue.ts'
import { ToolCounters, type InvocationLimits } from './tool-counters.ts'
import type { Effects, ProposedCall, RetryRule, Risk, ToolAnnotations, ToolClass, ToolContract } from './contract.ts'

/** What may describe a tool's arguments: a Standard Schema (zod 4, valibot, arktype) or a JSON Schema object. */
export type InputSchema = StandardSchema | JsonSchema

/** The type `execute` gets for a schema. A JSON Schema says nothing to TypeScript: its arguments are a JSON object. */
export type ArgumentsOf<TSchema> = TSchema extends StandardSchema<infer _Input, infer Output> ? Output : JsonObject

/** Runs a tool's work. Only the pipeline calls it. */
export type Execute<TArguments, TServices = unknown> = (
  args: TArguments,
  context: InvocationContext<TServices>,
) => unknown

/** What `tool()` takes. Everything but name, description and schema has a documented default. */
export type ToolDefinitionOptions<TSchema extends InputSchema, TServices = unknown> = {
  /** Verb and object, for example `create_incident_ticket`: letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  /** When to use it, and when not. */
  readonly description: string
  /** What describes the arguments. What does not fit never reaches `execute`; the model is told which field is wrong. */
  readonly inputSchema: TSchema
  /** What a result must fit: else a read fails with `INVALID_OUTPUT`, and a write, which happened, stays a success. */
  readonly outputSchema?: InputSchema
  /** Leave it out for a tool the host answers itself (declaration-only). */
  readonly execute?: Execute<ArgumentsOf<NoInfer<TSchema>>, TServices>
  /** Changing it voids approvals given for the tool as it was. Default `1`. */
  readonly version?: string
  /** Who answers for the tool: a team or a server. Approvals are bound to it. Default: nobody named. */
  readonly owner?: string
  /** Where the tool comes from: `local`, `mcp:<server>`, `skill:<name>` or `agent:<name>`. Default `local`. */
  readonly origin?: string
  /**
   * What a call does to the world. In core this alone never asks anybody, `destructive` not either: approval comes from
   * `needsApproval` or from the agent's `policy`, which may read it. It sets the defaults of `risk` and `class`.
   * Default `unknown`, treated as the worst.
   */
  readonly effects?: Effects
  /** Default by effects: read low, write medium, destructive and unknown high. */
  readonly risk?: Risk
  /**
   * What may be done with a call of which it is not known whether it took effect. `readOnly` is refused for effects
   * `write` and `destructive`, `queryable` without `reconcile`. Default `readOnly` for reads, else `nonIdempotent`.
   */
  readonly class?: ToolClass
  /** Milliseconds for one attempt. Default: none. */
  readonly timeoutMs?: number
  /** When a failed attempt should be repeated. Kept for an executor that repeats; core makes one attempt. */
  readonly retry?: RetryRule
  /** How many calls of this tool should run at once. Kept for an executor that bounds it; core runs a batch together. */
  readonly concurrency?: number
  /** The tool's own error codes, for documentation and lint. Default: none. */
  readonly errorCodes?: readonly string[]
  /** Words to group and choose tools by; core gives them no meaning. Default: none. */
  readonly tags?: readonly string[]
  /** Names of the phases of work the tool is meant for. Kept for a policy; core does not read it. Default: all. */
  readonly phases?: readonly string[]
  /**
   * Names of the environments the tool is meant for, as a run names its own. Kept for a policy; core does not enforce it.
   * Default: all.
   */
  readonly environments?: readonly string[]
  /**
   * `true`: every call waits for a person; a function: the calls it says so for. Anything it answers but `false` asks,
   * and if it throws the call does not run. Default `false`: nobody is asked, whatever `effects` says, unless the
   * agent's `policy` asks.
   */
  readonly needsApproval?: boolean | ((call: ProposedCall) => boolean | Promise<boolean>)
  /** Hints of the MCP kind, for clients that show tools. They govern nothing here. Default: none. */
  readonly annotations?: ToolAnnotations
  /** Name of the sandbox profile the tool's programs should run in. Kept for a policy and executor. Default: none. */
  readonly sandbox?: string
  /** What is declared of the sensitivity of arguments and results, in the form the `labels` port reads. Default: none. */
  readonly labels?: Json
  /** Arguments as a good call has them, for documentation. Default: none. */
  readonly examples?: readonly Json[]
  /** When another tool is the better one, in a sentence. For documentation and lint; not sent to models. Default: none. */
  readonly whenNotToUse?: string
  /**
   * For how many milliseconds the remote recognises an idempotency key. A call of class `idempotencyKey` whose process
   * was lost is repeated within this time since it began; after it the call is in doubt. Default: repeated however late.
   */
  readonly idempotency?: { readonly windowMs: number }
  /** What a call would bring about, for the person who approves it: a text, or a function of the call. Default: none. */
  readonly impact?: string | ((call: ProposedCall) => string)
  /** Whether a call can be undone, and by which tool; shown to the person who approves it. Default: not known. */
  readonly reversible?: 'yes' | 'no' | { readonly by: string }
  /** What one call costs in US dollars, counted against the limits of run and session. Default: nothing is counted. */
  readonly costUsd?: number
  /** Ask the provider for strict schema following where the schema qualifies. Default true. */
  readonly strict?: boolean
  /** Whether a person who approves a call may change its arguments. Default true. */
  readonly editable?: boolean
  /** Calls this instance may make over its lifetime. Default: no limit. */
  readonly maxInvocations?: number
  /** Failed calls this instance may make over its lifetime. Default: no limit. */
  readonly maxInvocationExceptions?: number
  /** The same two limits for each run, starting anew with it. */
  readonly perRun?: { readonly maxInvocations?: number; readonly maxInvocationExceptions?: number }
  /** A module whose default export is run in a worker thread in the place of `execute`, under the same deadline. */
  readonly worker?: URL
  /** Take the result as one JSON value: neither an envelope nor content parts are recognised in it. Default false. */
  readonly raw?: boolean
  /** Replaces the normalisation of results: gives a text or content parts. If it throws, the default is used. */
  readonly toResult?: (value: unknown) => unknown
  /**
   * Tries to mend arguments that did not parse or fit; its text is validated like the model's own. Refused for tools
   * that may write: a guess must not have effects.
   */
  readonly repair?: (call: BrokenCall) => string | null
  /** What the call would do, without doing it. Default: none. */
  readonly dryRun?: Execute<ArgumentsOf<NoInfer<TSchema>>, TServices>
  /**
   * Asks the remote whether a call took effect (class `queryable`); called when its process was lost meanwhile. Gives
   * `{ done: true, result }`, `{ done: false }` when it surely did not, anything else when it cannot tell.
   */
  readonly reconcile?: Execute<ArgumentsOf<NoInfer<TSchema>>, TServices>
  /** Undoes a call that took effect. Kept for an executor; core does not call it. Default: none. */
  readonly compensate?: Execute<ArgumentsOf<NoInfer<TSchema>>, TServices>
}

/** Arguments nobody could use, for `repair`. */
export type BrokenCall = { readonly arguments: string; readonly issues: readonly SchemaIssue[] }

/** The parts of a tool that are code or count, beside its contract. */
export type ToolBehaviour<TArguments = never, TServices = never> = {
  readonly lifetime: InvocationLimits
  readonly perRun: InvocationLimits
  readonly worker: URL | null
  readonly raw: boolean
  readonly toResult: ((value: unknown) => unknown) | null
  readonly repair: ((call: BrokenCall) => string | null) | null
  readonly dryRun: Execute<TArguments, TServices> | null
  readonly reconcile: Execute<TArguments, TServices> | null
  readonly compensate: Execute<TArguments, TServices> | null
}

/** A contract and, unless the host answers the calls itself, the code behind it. Only its counters ever change. */
export type Tool<TArguments = never, TServices = never> = {
  readonly contract: ToolContract
  readonly input: SchemaReader
  readonly output: SchemaReader | null
  readonly execute: Execute<TArguments, TServices> | null
  readonly behaviour: ToolBehaviour<TArguments, TServices>
  /** What this instance did so far; copies made by `requireApproval` and `withContract` share it. */
  readonly counters: ToolCounters
  readonly resetCounters: () => void
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/

const riskByEffects = { read: 'low', write: 'medium', destructive: 'high', unknown: 'high' } as const

/**
 * Defines a tool. The schema is built once, lazily. Throws `INVALID_TOOL` or `INVALID_SCHEMA` when the definition
 * cannot work, saying what was expected, what was found and what to write instead.
 */
export function tool<TSchema extends InputSchema, TServices = unknown>(
  options: ToolDefinitionOptions<TSchema, TServices>,
): Tool<ArgumentsOf<TSchema>, TServices> {
  const { name } = options
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw new FairleadError(
      'INVALID_TOOL',
      `A tool name is 1 to 64 letters, digits, "_" or "-"; found ${JSON.stringify(name)}. Use verb_object, for example get_weather.`,
    )
  }
  if (typeof options.description !== 'string' || options.description.trim() === '') {
    throw new FairleadError(
      'INVALID_TOOL',
      `Tool "${name}" has no description. Say in one sentence when to use it, and when not.`,
    )
  }
  if (options.execute !== undefined && typeof options.execute !== 'function') {
    throw new FairleadError(
      'INVALID_TOOL',
      `Tool "${name}": execute must be a function; found ${typeof options.execute}.`,
    )
  }
  requireKnownOptions(name, options)
  const input = readSchema(options.inputSchema, { of: `Tool "${name}": inputSchema`, io: 'input' })
  const output =
    options.outputSchema === undefined
      ? null
      : readSchema(options.outputSchema, { of: `Tool "${name}": outputSchema`, io: 'output' })
  const effects = options.effects ?? 'unknown'
  const contract: ToolContract = {
    name,
    description: options.description,
    version: options.version ?? '1',
    owner: options.owner ?? null,
    origin: options.origin ?? 'local',
    effects,
    risk: options.risk ?? riskByEffects[effects],
    class: options.class ?? (effects === 'read' ? 'readOnly' : 'nonIdempotent'),
    timeoutMs: options.timeoutMs ?? null,
    retry: options.retry ?? null,
    concurrency: options.concurrency ?? null,
    errorCodes: options.errorCodes ?? [],
    tags: options.tags ?? [],
    phases: options.phases ?? [],
    environments: options.environments ?? [],
    needsApproval: options.needsApproval ?? false,
    annotations: options.annotations ?? {},
    sandbox: options.sandbox ?? null,
    labels: options.labels ?? null,
    examples: options.examples ?? [],
    whenNotToUse: options.whenNotToUse ?? null,
    idempotency: options.idempotency ?? null,
    impact: options.impact ?? null,
    reversible: options.reversible ?? null,
    costUsd: options.costUsd ?? null,
    strict: options.strict ?? true,
    editable: options.editable ?? true,
    loosened: [],
    get inputSchema() {
      return input.jsonSchema
    },
    get outputSchema() {
      return output?.jsonSchema ?? null
    },
  }
  requireConsistent(contract, { reconcile: options.reconcile !== undefined })
  if (options.repair !== undefined && effects !== 'read') {
    throw new FairleadError(
      'INVALID_TOOL',
      `Tool "${name}": repair is for tools with effects "read"; found "${effects}". A guess must not have effects.`,
    )
  }
  if (options.worker !== undefined && options.execute !== undefined) {
    throw new FairleadError('INVALID_TOOL', `Tool "${name}" has both worker and execute. Keep one of them.`)
  }
  const counters = new ToolCounters()
  return Object.freeze({
    contract: Object.freeze(contract),
    input,
    output,
    execute: options.execute ?? null,
    behaviour: Object.freeze({
      lifetime: readInvocationLimits(name, options),
      perRun: readInvocationLimits(name, options.perRun ?? {}),
      worker: options.worker ?? null,
      raw: options.raw ?? false,
      toResult: options.toResult ?? null,
      repair: options.repair ?? null,
      dryRun: options.dryRun ?? null,
      reconcile: options.reconcile ?? null,
      compensate: options.compensate ?? null,
    }),
    counters,
    resetCounters: () => counters.reset(),
  })
}

function readInvocationLimits(
  name: string,
  options: { readonly maxInvocations?: number; readonly maxInvocationExceptions?: number },
): InvocationLimits {
  const read = (field: 'maxInvocations' | 'maxInvocationExceptions'): number | null => {
    const value = options[field]
    if (value === undefined) return null
    if (Number.isInteger(value) && value >= 1) return value
    throw new FairleadError(
      'INVALID_TOOL',
      `Tool "${name}": ${field} must be a whole number from 1; found ${String(value)}.`,
    )
  }
  return { maxInvocations: read('maxInvocations'), maxInvocationExceptions: read('maxInvocationExceptions') }
}

/** True for a tool the host answers itself. */
export function isDeclarationOnly(tool: Tool): boolean {
  return tool.execute === null && tool.behaviour.worker === null
}
