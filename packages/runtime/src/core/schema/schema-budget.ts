import { FairleadError } from '../fairlead-error.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * How large a schema may be: generous for people (the largest tool of six public MCP servers has 264 nodes), small
 * enough that compiling one takes tens of milliseconds at most.
 */
const schemaBudget: SchemaBudget = { nodes: 4000, depth: 64, references: 200, textLength: 400_000 }

/** `nodes` counts every value of the schema, `textLength` the characters of all texts and keys. */
export type SchemaBudget = {
  readonly nodes: number
  readonly depth: number
  readonly references: number
  readonly textLength: number
}

/**
 * Throws `INVALID_SCHEMA` when a schema is over budget or refers outside itself. Walks without recursion, stops at the
 * first excess, so its own cost is bounded too.
 */
export function requireBoundedSchema(schema: JsonSchema, of: string): void {
  let nodes = 0
  let references = 0
  let textLength = 0
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: schema, depth: 0 }]
  const refuse = (what: string): never => {
    throw new FairleadError('INVALID_SCHEMA', `${of} ${what}. Make the schema smaller or split the tool.`)
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next
    if (++nodes > schemaBudget.nodes) refuse(`has more than ${schemaBudget.nodes} nodes`)
    if (depth > schemaBudget.depth) refuse(`is nested deeper than ${schemaBudget.depth}`)
    if (typeof value === 'string') {
      textLength += value.length
      if (textLength > schemaBudget.textLength) refuse(`holds more than ${schemaBudget.textLength} characters`)
    }
    if (typeof value !== 'object' || value === null) continue
    for (const [key, member] of Object.entries(value)) {
      textLength += key.length
      if ((key === '$ref' || key === '$dynamicRef') && typeof member === 'string') {
        if (!member.startsWith('#')) {
          throw new FairleadError(
            'INVALID_SCHEMA',
            `${of} refers to ${JSON.stringify(member.slice(0, 100))}. References outside the schema are never loaded; copy the part into $defs.`,
          )
        }
        if (++references > schemaBudget.references) refuse(`has more than ${schemaBudget.references} references`)
      }
      open.push({ value: member, depth: depth + 1 })
    }
  }
}
