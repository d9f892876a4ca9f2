import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { FairleadError } from '../fairlead-error.ts'
import type { Json } from '../json/json.ts'
import type { JsonSchema } from './json-schema.ts'
import { linearPattern } from './linear-pattern.ts'
import { patternText } from './pattern-text.ts'
import type { SchemaIssue } from './schema-issue.ts'
import { requireBoundedSchema } from './schema-budget.ts'

/** Answers the issues of a value, at most ten, or `null` when it fits. May fill defaults into the value. */
export type CheckJson = (value: Json) => readonly SchemaIssue[] | null

export type CompileOptions = {
  readonly of: string
  /** Fill `default`s of the schema into the value. */
  readonly fillDefaults: boolean
  /** What to do with a pattern that has no linear-time form. */
  readonly unsafePatterns: 'refuse' | 'skip'
}

/**
 * Compiles a JSON Schema (2020-12, or draft 7 where `$schema` says so) with Ajv. No coercion, no remote references,
 * patterns in linear time, formats as annotations. Throws `INVALID_SCHEMA` when the schema cannot be compiled or is
 * over budget: an unchecked schema never passes.
 */
export function compileJsonSchema(schema: JsonSchema, options: CompileOptions): CheckJson {
  requireBoundedSchema(schema, options.of)
  const regExp = Object.assign(
    (source: string) => {
      const pattern = linearPattern(source)
      if (pattern === undefined && options.unsafePatterns === 'refuse') {
        throw new FairleadError(
          'INVALID_SCHEMA',
          `${options.of}: the pattern ${JSON.stringify(source.slice(0, 100))} cannot be matched in linear time. ` +
            'Write it without look-around and back-references.',
        )
      }
      return pattern ?? { test: () => true, toString: () => source }
    },
    { code: 'linearPattern' },
  )
  const settings: Options = {
    strict: false,
    validateFormats: false,
    useDefaults: options.fillDefaults,
    allErrors: true,
    messages: true,
    // Errors carry the schema they come from: a pattern is explained by the format beside it.
    verbose: true,
    meta: false,
    validateSchema: false,
    logger: false,
    // Ajv's type wants the RegExp shape; it calls `test` and `toString` alone. Its optimiser costs more than it saves.
    code: { optimize: false, regExp: regExp as unknown as NonNullable<Options['code']>['regExp'] & {} },
  }
  const dialect = isDraft7(schema) ? 'draft-07' : '2020-12'
  // One instance for each schema: an `$id` of one never meets that of another.
  const ajv = dialect === 'draft-07' ? new Ajv(settings) : new Ajv2020(settings)
  const fault = faultOf(schema, dialect)
  if (fault !== null) {
    throw new FairleadError('INVALID_SCHEMA', `${options.of} is not a JSON Schema that can be checked: ${fault}.`)
  }
  try {
    const validate = ajv.compile(schema)
    return (value) => (validate(value) === true ? null : (validate.errors ?? []).slice(0, 10).map(issueOf))
  } catch (cause) {
    if (cause instanceof FairleadError) throw cause
    throw new FairleadError(
      'INVALID_SCHEMA',
      `${options.of} is not a JSON Schema that can be checked: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    )
  }
}

function isDraft7(schema: JsonSchema): boolean {
  const dialect = schema['$schema']
  return typeof dialect === 'string' && dialect.includes('draft-07')
}

// The schemas of schemas never change and are dear to compile: once for a process, when first needed.
const judges = new Map<string, Ajv>()

/** What is wrong with a schema as a schema, in a few words, or `null`. */
function faultOf(schema: JsonSchema, dialect: 'draft-07' | '2020-12'): string | null {
  let judge = judges.get(dialect)
  if (judge === undefined) {
    judge =
      dialect === 'draft-07' ? new Ajv({ strict: false, logger: false }) : new Ajv2020({ strict: false, logger: false })
    judges.set(dialect, judge)
  }
  if (judge.validateSchema(schema) === true) return null
  const [error] = judge.errors ?? []
  return `${error?.instancePath === '' ? 'the schema' : (error?.instancePath ?? 'the schema')} ${error?.message ?? 'has a wrong form'}`
}

function issueOf(error: ErrorObject): SchemaIssue {
  const place = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  // Ajv names the key it missed or did not know; its parameters are typed by nothing.
  const parameters = error.params as { readonly [key: string]: string }
  switch (error.keyword) {
    case 'required':
      return { path: joinPath(place, parameters['missingProperty'] ?? ''), message: 'is required and missing' }
    case 'additionalProperties':
      return { path: joinPath(place, parameters['additionalProperty'] ?? ''), message: 'is not a known argument' }
    case 'unevaluatedProperties':
      return { path: joinPath(place, parameters['unevaluatedProperty'] ?? ''), message: 'is not a known argument' }
    case 'enum':
      return { path: place, message: `must be one of ${JSON.stringify(parameters['allowedValues']).slice(0, 300)}` }
    case 'const':
      return { path: place, message: `must be ${JSON.stringify(parameters['allowedValue']).slice(0, 300)}` }
    case 'pattern':
      return { path: place, message: patternText(parameters['pattern'] ?? '', error.parentSchema?.['format']) }
    default:
      return { path: place, message: error.message ?? `does not satisfy "${error.keyword}"` }
  }
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
