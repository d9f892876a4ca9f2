import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { JsonSchema } from './json-schema.ts'

/** What is sent to a model in the place of a schema. The original stays the one that validates. */
export type ProjectedSchema = { readonly schema: JsonSchema; readonly strict: boolean }

/**
 * Projects a schema for a provider. Strict following is asked for only where it changes nothing: every object names all
 * of its members and requires each of them, and no keyword is used that strict modes refuse. Objects left open are
 * closed in the projection. Otherwise the schema goes out as it is, without `$schema`, and not strict.
 */
export function projectSchema(schema: JsonSchema, wantsStrict: boolean): ProjectedSchema {
  const plain = withoutDialect(schema)
  if (!wantsStrict) return { schema: plain, strict: false }
  const strict = strictForm(plain, 0)
  return strict === null ? { schema: plain, strict: false } : { schema: strict as JsonSchema, strict: true }
}

function withoutDialect(schema: JsonSchema): JsonSchema {
  if (!('$schema' in schema)) return schema
  const { $schema: _dialect, ...rest } = schema
  return rest
}

/** Keywords every strict mode takes. (OpenAI structured outputs and Anthropic strict tools, as documented in 2026.) */
const accepted = new Set([
  'type',
  'description',
  'title',
  'enum',
  'const',
  'properties',
  'required',
  'items',
  'anyOf',
  'additionalProperties',
])
const deepest = 5

function strictForm(schema: Json, depth: number): Json | null {
  if (!isJsonObject(schema) || depth > deepest) return null
  if (!Object.keys(schema).every((key) => accepted.has(key))) return null
  const form: { [key: string]: Json } = {}
  for (const [key, value] of Object.entries(schema)) {
    const projected = projectKeyword(key, value, schema, depth)
    if (projected === null) return null
    form[key] = projected
  }
  if (schema['type'] === 'object') {
    if (form['properties'] === undefined) return null
    form['additionalProperties'] = false
  }
  return form
}

function projectKeyword(key: string, value: Json, schema: JsonObject, depth: number): Json | null {
  switch (key) {
    case 'properties': {
      if (!isJsonObject(value)) return null
      const required = schema['required']
      const members: { [key: string]: Json } = {}
      for (const [name, member] of Object.entries(value)) {
        const projected = strictForm(member, depth + 1)
        if (projected === null || !Array.isArray(required) || !required.includes(name)) return null
        members[name] = projected
      }
      return members
    }
    case 'items':
      return strictForm(value, depth + 1)
    case 'anyOf': {
      if (!Array.isArray(value)) return null
      const forms = value.map((option) => strictForm(option as Json, depth + 1))
      return forms.includes(null) ? null : (forms as readonly Json[])
    }
    case 'additionalProperties':
      // Other members described by a schema cannot be closed without changing what is accepted.
      return value === false || value === true || (isJsonObject(value) && Object.keys(value).length === 0)
        ? false
        : null
    default:
      return value
  }
}
