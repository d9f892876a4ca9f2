import { FairleadError } from '../fairlead-error.ts'
import { findNonJson, isJsonObject, type Json } from '../json/json.ts'
import { compileJsonSchema, type CheckJson } from './compile-json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { requireBoundedSchema } from './schema-budget.ts'
import type { SchemaIssue } from './schema-issue.ts'
import { isStandardSchema, type StandardIssue, type StandardSchema } from './standard-schema.ts'

export type SchemaVerdict =
  | { readonly kind: 'valid'; readonly value: Json }
  | { readonly kind: 'invalid'; readonly issues: readonly SchemaIssue[] }

/**
 * A schema of any accepted kind, ready for use: what is shown to models, and a check. `check` may take over the value
 * it is given (defaults are filled in), so hand it a value of your own. Answers at once unless the schema's own
 * library validates asynchronously.
 */
export type SchemaReader = {
  readonly jsonSchema: JsonSchema
  check(value: Json): SchemaVerdict | Promise<SchemaVerdict>
}

export type ReadSchemaOptions = {
  /** What the schema belongs to, for error texts. */
  readonly of: string
  readonly io: 'input' | 'output'
}

/**
 * Accepts a Standard Schema or a JSON Schema object. Order of checks: the JSON Schema, then the library's own
 * validation, whose output must again be JSON. Throws `INVALID_SCHEMA` for anything JSON cannot carry.
 * A JSON Schema is compiled here; a library's projection, which cannot fail by itself, at the first check.
 */
export function readSchema(schema: unknown, options: ReadSchemaOptions): SchemaReader {
  if (isStandardSchema(schema)) return readStandardSchema(schema, options)
  if (isJsonObject(schema)) return readJsonSchema(schema, options)
  const found = typeof schema === 'function' ? 'a function' : schema === null ? 'null' : typeof schema
  throw new FairleadError(
    'INVALID_SCHEMA',
    `${options.of} must be a Standard Schema (zod 4, valibot, arktype) or a JSON Schema object; found ${found}. ` +
      'Write for example z.object({ location: z.string() }).',
  )
}

function readJsonSchema(schema: JsonSchema, options: ReadSchemaOptions): SchemaReader {
  if (options.io === 'input') requireObjectSchema(schema, options)
  // Compiled here and not at the first call: a schema written by hand or by a stranger may not compile at all.
  const check = compileJsonSchema(schema, { of: options.of, fillDefaults: true, unsafePatterns: 'refuse' })
  return {
    jsonSchema: schema,
    check(value) {
      const issues = check(value)
      return issues === null ? { kind: 'valid', value } : { kind: 'invalid', issues }
    },
  }
}

function readStandardSchema(schema: StandardSchema, options: ReadSchemaOptions): SchemaReader {
  const jsonSchema = toJsonSchema(schema, options)
  requireBoundedSchema(jsonSchema, options.of)
  if (options.io === 'input') requireObjectSchema(jsonSchema, options)
  let check: CheckJson | undefined
  return {
    jsonSchema,
    check(value) {
      // The library validates patterns itself, so one that has no linear-time form may be left to it.
      check ??= compileJsonSchema(jsonSchema, { of: options.of, fillDefaults: false, unsafePatterns: 'skip' })
      const issues = check(value)
      if (issues !== null) return { kind: 'invalid', issues }
      const result = schema['~standard'].validate(value)
      return result instanceof Promise ? result.then(verdictOf) : verdictOf(result)
    },
  }
}

function verdictOf(result: {
  readonly value?: unknown
  readonly issues?: readonly StandardIssue[] | undefined
}): SchemaVerdict {
  if (result.issues !== undefined) {
    return {
      kind: 'invalid',
      issues: result.issues.map((issue) => ({ path: pathText(issue.path ?? []), message: issue.message })),
    }
  }
  const nonJson = findNonJson(result.value)
  return nonJson === null
    ? // Checked one line above.
      { kind: 'valid', value: result.value as Json }
    : {
        kind: 'invalid',
        issues: [
          { path: nonJson.path, message: `the schema turned this into ${nonJson.found}, which JSON cannot carry` },
        ],
      }
}

function pathText(path: NonNullable<StandardIssue['path']>): string {
  return path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
}

function toJsonSchema(schema: StandardSchema, options: ReadSchemaOptions): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard']
  if (jsonSchema === undefined && 'toJsonSchema' in schema && typeof schema.toJsonSchema === 'function') {
    // arktype before it implemented Standard JSON Schema.
    return (schema.toJsonSchema as () => JsonSchema)()
  }
  if (jsonSchema === undefined) {
    const valibot = vendor === 'valibot' ? ' Wrap it: toStandardJsonSchema(schema) from @valibot/to-json-schema.' : ''
    throw new FairleadError(
      'INVALID_SCHEMA',
      `${options.of}: this ${vendor} schema cannot say what it looks like as JSON Schema. ` +
        `Use a version that implements Standard JSON Schema (zod 4.2 or newer), or pass a JSON Schema object.${valibot}`,
    )
  }
  const target = 'draft-2020-12'
  try {
    // Both sides must exist: an input that turns into something JSON cannot carry is refused here, not at a call.
    const input = jsonSchema.input({ target })
    const output = jsonSchema.output({ target })
    // A library's JSON Schema is JSON by contract.
    return (options.io === 'input' ? input : output) as JsonSchema
  } catch (cause) {
    const place = placeOfFault(schema, '')
    const at = place === '' ? '' : ` at "${place}"`
    throw new FairleadError(
      'INVALID_SCHEMA',
      `${options.of} holds something JSON cannot carry${at}: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        'Use JSON spellings: z.iso.datetime() for a date, z.string() for a big integer, arrays and objects for sets and maps; ' +
        'transform inside execute.',
      { cause },
    )
  }
}

/** Where in a schema the fault lies, as deep as its members can be asked one by one; empty when it is the whole. */
function placeOfFault(schema: unknown, path: string): string {
  for (const [name, member] of membersOf(schema)) {
    if (isStandardSchema(member) && !isExpressible(member)) {
      return placeOfFault(member, path === '' ? name : `${path}.${name}`)
    }
  }
  return path
}

function isExpressible(schema: StandardSchema): boolean {
  const target = 'draft-2020-12'
  try {
    schema['~standard'].jsonSchema?.input({ target })
    schema['~standard'].jsonSchema?.output({ target })
    return true
  } catch {
    return false
  }
}

/** The parts of an object, array, union or wrapper schema, as zod and its like name them. Only for error texts. */
function membersOf(schema: unknown): readonly (readonly [string, unknown])[] {
  if (typeof schema !== 'object' || schema === null) return []
  if ('shape' in schema && typeof schema.shape === 'object' && schema.shape !== null)
    return Object.entries(schema.shape)
  if ('element' in schema) return [['[]', schema.element]]
  if ('options' in schema && Array.isArray(schema.options)) {
    return schema.options.map((option: unknown, index) => [String(index), option] as const)
  }
  if ('valueType' in schema) return [['*', schema.valueType]]
  if ('unwrap' in schema && typeof schema.unwrap === 'function') return membersOf((schema.unwrap as () => unknown)())
  return []
}

function requireObjectSchema(schema: JsonSchema, options: ReadSchemaOptions): void {
  const type = schema['type']
  if (type !== undefined && type !== 'object') {
    throw new FairleadError(
      'INVALID_SCHEMA',
      `${options.of} must describe an object (tool arguments have names); found type ${JSON.stringify(type)}. ` +
        'Wrap it: z.object({ value: … }).',
    )
  }
}
