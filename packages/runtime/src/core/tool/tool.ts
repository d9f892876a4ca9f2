import type { Json, JsonObject } from '../json/json.ts'
import type { InvocationContext } from '../call/invocation-context.ts'
import { FairleadError } from '../fairlead-error.ts'
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
  readonly inputSchema: TSchema
  readonly outputSchema?: InputSchema
  /** Leave it out for a tool the host answers itself (declaration-only). */
  readonly execute?: Execute<ArgumentsOf<NoInfer<TSchema>>, TServices>
  /** Default `1`. */
  readonly version?: string
  readonly owner?: string
  readonly origin?: string
  /** Default `unknown`, treated as the worst. */
  readonly effects?: Effects
  /** Default by effects: read low, write medium, destructive and unknown high. */
  readonly risk?: Risk
  /** Default `readOnly` for reads, else `nonIdempotent`. */
  readonly class?: ToolClass
  /** Milliseconds for one attempt. Default: none. */
  readonly timeoutMs?: number
  /** When a failed attempt should be repeated. Kept for an executor that repeats; core makes one attempt. */
  readonly retry?: RetryRule
  /** How many calls of this tool should run at once. Kept for an executor that bounds it; core runs a batch together. */
  readonly concurrency?: number
  /** The tool's own error codes, for documentation and lint. */
  readonly errorCodes?: readonly string[]
  readonly tags?: readonly string[]
  readonly phases?: readonly string[]
  readonly environments?: readonly string[]
  readonly needsApproval?: boolean | ((call: ProposedCall) => boolean | Promise<boolean>)
  readonly annotations?: ToolAnnotations
  readonly sandbox?: string
  readonly labels?: Json
  readonly examples?: readonly Json[]
  readonly whenNotToUse?: string
  readonly idempotency?: { readonly windowMs: number }
  readonly impact?: string | ((call: ProposedCall) => string)
  readonly reversible?: 'yes' | 'no' | { readonly by: string }
  readonly costUsd?: number
  /** Ask the provider for strict schema following where the schema qualifies. Default true. */
  readonly strict?: boolean
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
  /** What the call would do, without doing it. */
  readonly dryRun?: Execute<ArgumentsOf<NoInfer<TSchema>>, TServices>
  /** Asks the remote whether a call took effect (class `queryable`). */
  readonly reconcile?: Execute<ArgumentsOf<NoInfer<TSchema>>, TServices>
  /** Undoes a call that took effect. */
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
    loosened: [],
    get inputSchema() {
      return input.jsonSchema
    },
    get outputSchema() {
      return output?.jsonSchema ?? null
    },
  }
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
