import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import type { InvocationContext, JsonObject, Tool } from '../index.ts'
import { Agent, tool } from '../index.ts'

// The first argument of `execute` is what the schema says.
tool({
  name: 'get_weather',
  description: 'Weather.',
  inputSchema: z.object({ location: z.string(), days: z.number().default(1), unit: z.enum(['c', 'f']).optional() }),
  execute: (args, context) => {
    expectTypeOf(args).toEqualTypeOf<{ location: string; days: number; unit?: 'c' | 'f' | undefined }>()
    expectTypeOf(context).toEqualTypeOf<InvocationContext<unknown>>()
    return args.location
  },
})

// A JSON Schema says nothing to TypeScript: the arguments are a JSON object.
tool({
  name: 'plain',
  description: 'Plain JSON Schema.',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
  execute: (args) => {
    expectTypeOf(args).toEqualTypeOf<JsonObject>()
    return null
  },
})

// Declaration-only tools have no execute.
const declared = tool({ name: 'ask_user', description: 'Asks.', inputSchema: z.object({ question: z.string() }) })
expectTypeOf(declared).toExtend<Tool>()

// A tool of any argument type is a tool; lists and toolboxes are accepted as they are.
new Agent({ tools: [declared, [declared], { tools: [declared] }] })

// @ts-expect-error a tool needs a description
tool({ name: 'x', inputSchema: z.object({}) })

// @ts-expect-error effects is one of four words
tool({ name: 'x', description: 'x', inputSchema: z.object({}), effects: 'reads' })
