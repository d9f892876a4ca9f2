import { setTimeout as sleep } from 'node:timers/promises'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  requireApproval,
  textOf,
  tool,
  withContract,
  type FunctionResultPart,
  type Json,
  type ToolList,
} from './index.ts'
import { ScriptedChatClient, type ManualClock } from '../testing/index.ts'

/** Calls one tool once through an agent and gives its answer and the call's record. */
async function callOnce(
  tools: ToolList,
  name: string,
  args: Json = {},
  options: { readonly clock?: ManualClock } = {},
) {
  const model = new ScriptedChatClient([{ calls: [{ name, arguments: args }] }, 'done'])
  const agent = new Agent({ model, tools, ...options })
  const result = await agent.run('go')
  const answer = result.messages
    .flatMap((message) => message.parts)
    .find((part): part is FunctionResultPart => part.kind === 'function_result')
  const [call] = await agent.store.journal.calls(result.runId)
  return { answer, call, result, agent, model, shown: textOf(answer?.content ?? []) }
}

const dataOf = (answer: FunctionResultPart | undefined): Json | undefined => {
  const [item] = answer?.content ?? []
  return item?.kind === 'data' ? item.data : item?.kind === 'text' ? item.text : undefined
}

describe('forms of tools', () => {
  it('MAF 1: a bare function, tool() and a configured object give the same tool', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
    const get_weather = Object.assign(
      function get_weather({ city }: { city: string }) {
        return `sunny in ${city}`
      },
      {
        description: 'Weather of a city.',
        inputSchema: schema,
      },
    )
    const forms: ToolList[] = [
      [get_weather],
      [
        tool({
          name: 'get_weather',
          description: 'Weather of a city.',
          inputSchema: schema,
          execute: ({ city }) => `sunny in ${JSON.stringify(city).slice(1, -1)}`,
        }),
      ],
      [{ name: 'get_weather', description: 'Weather of a city.', inputSchema: schema, execute: get_weather }],
      { get_weather: { description: 'Weather of a city.', inputSchema: schema, execute: get_weather } },
    ]
    const seen = []
    for (const tools of forms) {
      const { answer, model } = await callOnce(tools, 'get_weather', { city: 'Bern' })
      seen.push({ text: dataOf(answer), told: model.requests[0]?.tools })
    }
    expect(seen[0]?.text).toBe('sunny in Bern')
    expect(seen[0]?.told).toMatchObject([
      { name: 'get_weather', description: 'Weather of a city.', inputSchema: schema },
    ])
    for (const form of seen) expect(form).toEqual(seen[0])
  })

  it('MAF 38: a plain function without parameters is a tool; parameters without a schema show the tool() spelling', async () => {
    function get_time(): string {
      return 'noon'
    }
    expect(dataOf((await callOnce([get_time], 'get_time')).answer)).toBe('noon')
    const add = (a: number, b: number): number => a + b
    expect(() => new Agent({ tools: [add] })).toThrow(/takes 2 parameters.*Write tool\(\{ name: 'add'/s)
  })

  it('MAF 3: a JSON Schema is used as it is and extra keys survive', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string', 'x-hint': 'kept' } }, 'x-own': 1 } as const
    const { model } = await callOnce(
      [tool({ name: 'keep', description: 'Keeps.', inputSchema, execute: () => 1 })],
      'keep',
    )
    expect(model.requests[0]?.tools[0]?.inputSchema).toEqual(inputSchema)
  })

  it('MAF 2, 8: an explicit schema decides; literals become enums with their descriptions', async () => {
    const inputSchema = z.object({ unit: z.enum(['c', 'f']).describe('Unit of the answer') })
    const { model, shown } = await callOnce(
      [tool({ name: 'pick', description: 'Picks.', inputSchema, execute: () => 1 })],
      'pick',
      { unit: 'k' },
    )
    expect(model.requests[0]?.tools[0]?.inputSchema['properties']).toEqual({
      unit: { type: 'string', enum: ['c', 'f'], description: 'Unit of the answer' },
    })
    expect(shown).toContain('unit: must be one of ["c","f"]')
  })

  it('MAF 4: a missing required argument fails with its name; a wrong primitive type fails', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const
    const tools = [tool({ name: 'need', description: 'Needs.', inputSchema, execute: () => 1 })]
    expect((await callOnce(tools, 'need')).shown).toContain('a: is required and missing')
    expect((await callOnce(tools, 'need', { a: true })).shown).toContain('a: must be number')
  })

  it('MAF 5: an explicit null reaches execute; an omitted optional does not; a default is filled in once, before policy', async () => {
    const seen: object[] = []
    const nullable = tool({
      name: 'nullable',
      description: 'Takes null.',
      inputSchema: z.object({
        a: z.string().nullable().optional(),
        b: z.string().optional(),
        c: z.number().default(7),
      }),
      needsApproval: ({ arguments: args }) => (seen.push(args), false),
      execute: (args) => (seen.push(args), 1),
    })
    const { call } = await callOnce([nullable], 'nullable', { a: null })
    expect(seen).toEqual([
      { a: null, c: 7 },
      { a: null, c: 7 },
    ])
    expect(seen[0]).toBe(seen[1])
    expect(call?.arguments).toBe(seen[0])
    expect(Object.isFrozen(seen[0])).toBe(true)
  })

  it('defaults of a plain JSON Schema are filled in too', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'number', default: 3 } } } as const
    const { call } = await callOnce(
      [tool({ name: 'filled', description: 'Fills.', inputSchema, execute: () => 1 })],
      'filled',
    )
    expect(call?.arguments).toEqual({ n: 3 })
  })

  it('MAF 6: a tool without parameters has an empty object schema', async () => {
    const { model } = await callOnce(
      [tool({ name: 'none', description: 'None.', inputSchema: z.object({}), execute: () => 1 })],
      'none',
    )
    expect(model.requests[0]?.tools[0]?.inputSchema).toMatchObject({ type: 'object', properties: {} })
  })

  it('MAF 7: async and sync work; methods share the state of their instance', async () => {
    class Counter {
      count = 0
      readonly tools = [
        tool({ name: 'up', description: 'Counts.', inputSchema: z.object({}), execute: () => ++this.count }),
        tool({
          name: 'up_later',
          description: 'Counts.',
          inputSchema: z.object({}),
          execute: async () => ++this.count,
        }),
      ]
    }
    const counter = new Counter()
    expect(dataOf((await callOnce([counter], 'up')).answer)).toBe(1)
    expect(dataOf((await callOnce([counter], 'up_later')).answer)).toBe(2)
  })

  it('MAF 17: lists, toolboxes and nesting are flattened; the same tool twice is one; two tools of one name are refused', () => {
    const make = (name: string, origin = 'local') =>
      tool({ name, description: 'x', inputSchema: z.object({}), origin, execute: () => 1 })
    const [a, b, c] = [make('a'), make('b'), make('c')]
    const agent = new Agent({ tools: [a, [b, { tools: [c, [a]] }], a] })
    expect(agent.tools().map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(() => new Agent({ tools: [a, { tools: [make('a', 'mcp:github')] }] })).toThrow(
      /Two different tools are named "a": one at tools\[0\] \(local\), one at tools\[1\]\.tools\[0\] \(mcp:github\)/,
    )
  })

  it.each<readonly [string, unknown, string]>([
    ['a number', [7], 'tools[0] must be a tool'],
    ['null', [null], 'tools[0] must be a tool'],
    ['an object that is no tool', [{ a: 1 }], 'tools[0].a must be a tool'],
    ['a tool without description', [{ name: 'x', inputSchema: z.object({}), description: '' }], 'has no description'],
    ['a name with a space', [{ name: 'a b', inputSchema: z.object({}), description: 'x' }], 'A tool name is 1 to 64'],
    ['a provider-run tool', { search: { type: 'provider', inputSchema: z.object({}) } }, 'run by the provider'],
  ])('refuses %s, saying what was expected', (_, tools, words) => {
    expect(() => new Agent({ tools: tools as ToolList })).toThrow(
      expect.objectContaining({ message: expect.stringContaining(words) }),
    )
  })

  it('MAF 11: what describes a tool is plain JSON and survives serialising', () => {
    const { contract } = tool({
      name: 'limited',
      description: 'x',
      inputSchema: z.object({ a: z.string() }),
      maxInvocations: 2,
      timeoutMs: 5,
      tags: ['t'],
      execute: () => 1,
    })
    const restored = JSON.parse(JSON.stringify(contract)) as typeof contract
    expect(restored).toEqual({ ...contract })
    expect(restored.inputSchema).toMatchObject({ required: ['a'] })
  })

  it('MAF 12, 13, 14: the context is the second argument, whatever it is called, and never in the schema', async () => {
    const { answer, model } = await callOnce(
      [
        tool({
          name: 'who',
          description: 'x',
          inputSchema: z.object({ a: z.string() }),
          execute: ({ a }, anything) => `${a} ${anything.call.tool}`,
        }),
      ],
      'who',
      { a: 'hi' },
    )
    expect(dataOf(answer)).toBe('hi who')
    expect(Object.keys(model.requests[0]?.tools[0]?.inputSchema['properties'] ?? {})).toEqual(['a'])
  })

  it('MAF 10: unknown options of a run are refused; they never become arguments', async () => {
    const seen: object[] = []
    const model = new ScriptedChatClient([{ calls: [{ name: 'plain' }] }, 'done'])
    const agent = new Agent({
      model,
      tools: [tool({ name: 'plain', description: 'x', inputSchema: z.object({}), execute: (args) => seen.push(args) })],
    })
    await expect(agent.run('go', { surprise: 1 } as object)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await expect(agent.run('go', { maxTokns: 1 } as object)).rejects.toThrow(/Did you mean "maxTokens"/)
    const wrong = [{ session: 's' }, { session: {} }, { signal: {} }, { principal: 'ann' }, { instructions: 5 }]
    for (const options of wrong) {
      await expect(agent.run('go', options as object)).rejects.toThrow(/must be/)
    }
    expect(seen).toEqual([])
    await agent.run('go', { maxTokens: undefined } as object)
    expect(seen).toEqual([{}])
  })

  it('takes AI SDK tool objects by name: options beside the arguments, approval, streamed results', async () => {
    const seen: unknown[] = []
    const tools: ToolList = {
      streamed: {
        description: 'Streams.',
        inputSchema: z.object({ n: z.number() }),
        async *execute({ n }: { n: number }, options: { toolCallId: string }) {
          seen.push(options.toolCallId)
          yield { at: n }
          yield { at: n + 1 }
        },
      },
      wrapped: {
        description: 'jsonSchema().',
        inputSchema: {
          jsonSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          validate: undefined,
        },
        execute: () => 'ok',
      },
      gated: { description: 'Asks.', inputSchema: z.object({}), needsApproval: true, execute: () => 'ran' },
    }
    expect(dataOf((await callOnce(tools, 'streamed', { n: 1 })).answer)).toEqual({ at: 2 })
    expect(seen).toEqual(['call_1_0'])
    expect((await callOnce(tools, 'wrapped')).shown).toContain('a: is required')
    expect((await callOnce(tools, 'gated')).result.stopReason).toBe('approval_required')
  })
})

describe('AI SDK tools', () => {
  it("read the agent's services where either generation looks for them", async () => {
    const seen: unknown[] = []
    const look = {
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: (_: unknown, options: { experimental_context?: unknown; context?: unknown }) =>
        void seen.push(options.experimental_context, options.context),
    }
    const services = { stock: 12 }
    const model = new ScriptedChatClient([{ calls: [{ name: 'look', arguments: {} }] }, 'done'])
    await new Agent({ model, tools: { look }, services }).run('go')
    expect(seen).toEqual([services, services])
  })
})

describe('schemas', () => {
  it.each([
    ['zod', z.object({ city: z.string(), days: z.number().default(3) })],
    ['valibot', toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) }))],
    ['arktype', type({ city: 'string', days: 'number = 3' })],
  ])('%s: shown as JSON Schema, checked, defaults applied', async (_, inputSchema) => {
    const tools = [tool({ name: 'get', description: 'x', inputSchema, execute: (args) => args })]
    const good = await callOnce(tools, 'get', { city: 'Bern' })
    expect(dataOf(good.answer)).toEqual({ city: 'Bern', days: 3 })
    expect(good.model.requests[0]?.tools[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
    })
    const bad = await callOnce(tools, 'get', { city: 7 })
    expect(bad.answer?.errorCode).toBe('INVALID_ARGUMENT')
    expect(bad.shown).toContain('city')
  })

  it.each([
    ['a Date', z.object({ when: z.date() }), '"when": Date'],
    ['a deep bigint', z.object({ a: z.object({ list: z.array(z.bigint()) }) }), '"a.list.[]": BigInt'],
    ['a Map', z.object({ m: z.map(z.string(), z.string()) }), '"m": Map'],
    ['a Set', z.object({ s: z.set(z.string()) }), '"s": Set'],
    ['a function', z.object({ f: z.function() }), '"f": Function'],
    ['a transform', z.object({ t: z.string().transform((text) => text.length) }), '"t": Transforms'],
    ['a valibot schema that cannot say its form', v.object({ a: v.string() }), 'toStandardJsonSchema(schema)'],
    ['a text schema', z.string(), 'must describe an object'],
    ['nothing', undefined, 'must be a Standard Schema'],
  ])('%s is refused at definition, with its place and the spelling that works', (_, inputSchema, words) => {
    expect(() => tool({ name: 'x', description: 'x', inputSchema: inputSchema as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_SCHEMA', message: expect.stringContaining(words) }),
    )
  })

  const chain = (levels: number): Json =>
    Object.fromEntries(
      Array.from({ length: levels }, (_, n) => [
        `d${n}`,
        n === levels - 1
          ? { type: 'string' }
          : { type: 'object', properties: { a: { $ref: `#/$defs/d${n + 1}` }, b: { $ref: `#/$defs/d${n + 1}` } } },
      ]),
    )
  const deep = (levels: number): Json => {
    let schema: Json = { type: 'string' }
    for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { x: schema } }
    return schema
  }
  it.each<readonly [string, Json, string]>([
    ['2,000 levels deep', deep(2000), 'nested deeper than'],
    [
      'a remote reference',
      { type: 'object', properties: { a: { $ref: 'https://evil.example/schema' } } },
      'References outside the schema',
    ],
    [
      '1,000 references',
      {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`p${n}`, { $ref: '#/$defs/d' }])),
        $defs: { d: {} },
      },
      'references',
    ],
    [
      '50,000 nodes',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`p${n}`, {}])) },
      'nodes',
    ],
    ['a pattern with look-behind', { type: 'object', properties: { a: { pattern: '(?<=x)y' } } }, 'linear time'],
    ['a keyword of the wrong form', { type: 'object', properties: { a: { type: 'strng' } } }, 'not a JSON Schema'],
    ['a reference to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }, 'not a JSON Schema'],
  ])('a hostile schema (%s) ends as a clear definition error', (_, inputSchema, words) => {
    expect(() => tool({ name: 'x', description: 'x', inputSchema: inputSchema as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_SCHEMA', message: expect.stringContaining(words) }),
    )
  })

  it('a catastrophic pattern and an exponential chain of references are accepted and stay cheap to check', async () => {
    const hostile: readonly (readonly [Json, Json])[] = [
      [{ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(40)}!` }],
      [{ type: 'object', $defs: chain(25), properties: { root: { $ref: '#/$defs/d0' } } }, { root: { a: { b: 1 } } }],
    ]
    for (const [inputSchema, args] of hostile) {
      const { answer } = await callOnce(
        [tool({ name: 'x', description: 'x', inputSchema: inputSchema as never, execute: () => 1 })],
        'x',
        args,
      )
      expect(answer?.errorCode).toBe('INVALID_ARGUMENT')
    }
  })

  it('strict goes out only where it changes nothing; the projection closes open objects; the original validates', async () => {
    const told = async (inputSchema: Json, strict?: boolean) => {
      const made = tool({
        name: 'x',
        description: 'x',
        inputSchema: inputSchema as never,
        ...(strict === undefined ? {} : { strict }),
        execute: () => 1,
      })
      const { model } = await callOnce([made], 'x')
      const { strict: asked, inputSchema: schema } = model.requests[0]?.tools[0] ?? {}
      return { asked, closed: schema?.['additionalProperties'] }
    }
    const full = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    expect(await told(full)).toEqual({ asked: true, closed: false })
    expect(await told(full, false)).toEqual({ asked: false, closed: undefined })
    expect(await told({ type: 'object', properties: { a: { type: 'string' } } })).toEqual({
      asked: false,
      closed: undefined,
    })
    expect(await told({ ...full, additionalProperties: { type: 'number' } })).toMatchObject({ asked: false })
    expect(await told({ ...full, patternProperties: {} })).toMatchObject({ asked: false })
  })

  it('repair is opt-in, judged like the model text, and refused for tools that write', async () => {
    const mend = vi.fn<(call: { arguments: string }) => string | null>(({ arguments: text }) =>
      text.replace(/^```json\n?|```$/g, ''),
    )
    const inputSchema = z.object({ a: z.number() })
    const tools = [
      tool({ name: 'x', description: 'x', inputSchema, effects: 'read', repair: mend, execute: ({ a }) => a }),
    ]
    expect(dataOf((await callOnce(tools, 'x', '```json\n{"a":1}```')).answer)).toBe(1)
    expect((await callOnce(tools, 'x', '```json\n{"a":"1"}```')).answer?.errorCode).toBe('INVALID_ARGUMENT')
    expect(mend).toHaveBeenCalledTimes(2)
    expect(() => tool({ name: 'x', description: 'x', inputSchema, effects: 'write', repair: mend })).toThrow(
      /A guess must not have effects/,
    )
  })
})

describe('results', () => {
  const returning = (value: unknown, options: object = {}) =>
    callOnce(
      [
        tool({
          name: 'give',
          description: 'x',
          inputSchema: z.object({}),
          effects: 'read',
          execute: () => value,
          ...options,
        }),
      ],
      'give',
    )

  it.each<readonly [string, unknown, Json]>([
    ['nothing', undefined, ''],
    ['null', null, ''],
    ['text', 'hi', 'hi'],
    ['a number', 7, 7],
    ['a Date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a bigint', 2n ** 70n, '1180591620717411303424'],
    ['a Map', new Map<unknown, unknown>([['a', new Set([1, 2])]]), { a: [1, 2] }],
    ['not-a-number', { n: Number.NaN, i: Infinity }, { n: null, i: null }],
    ['undefined and functions inside', { a: undefined, f: () => 1, list: [undefined] }, { list: [null] }],
    ['bytes', new Uint8Array([1, 2, 3]), 'AQID'],
    ['an error value', new TypeError('x'), { name: 'TypeError', message: 'x' }],
    ['toJSON', { toJSON: () => ({ own: true }) }, { own: true }],
    ['a __proto__ key', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ])('%s is normalised by the table', async (_, value, expected) => {
    const { answer } = await returning(value)
    expect(answer?.status).toBe('success')
    expect(dataOf(answer)).toEqual(expected)
  })

  it('a cycle and endless nesting are coded errors for a read, and leave a write a success', async () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const { answer, shown } = await returning(cycle)
    expect(answer?.errorCode).toBe('INVALID_OUTPUT')
    expect(shown).toContain('a cycle at "self"')
    const written = await returning(cycle, { effects: 'write' })
    expect(written.answer?.status).toBe('success')
    expect(written.shown).toContain('was carried out')
  })

  it('content parts survive: text, images and files', async () => {
    const image = { kind: 'file' as const, mediaType: 'image/png', data: 'iVBORw0KGgo=' }
    const { answer } = await returning([{ kind: 'text', text: 'see' }, image, { plain: 1 }])
    expect(answer?.content).toEqual([{ kind: 'text', text: 'see' }, image, { kind: 'data', data: { plain: 1 } }])
  })

  it('a tool may return the envelope itself, success or error', async () => {
    const good = await returning({ status: 'success', data: { a: 1 }, summary: 'One a.', retryable: false })
    expect(good.call?.result).toMatchObject({ status: 'success', summary: 'One a.' })
    expect(dataOf(good.answer)).toEqual({ a: 1 })
    const bad = await returning({
      status: 'error',
      data: null,
      summary: 'Too much.',
      errorCode: 'RESULT_TOO_LARGE',
      retryable: true,
    })
    expect(bad.answer).toMatchObject({ status: 'error', errorCode: 'RESULT_TOO_LARGE' })
    expect(bad.shown).toContain('Too much.')
  })

  it('MAF 15: raw takes the value as it is, arguments still validated, declaration-only still refused', async () => {
    const value = { status: 'error', data: null, summary: 'not an envelope here', kind: 'text', text: 'nor a part' }
    const { answer } = await returning(value, { raw: true, toResult: () => 'bypassed' })
    expect(dataOf(answer)).toEqual(value)
    const strict = [
      tool({
        name: 'give',
        description: 'x',
        inputSchema: z.object({ a: z.string() }),
        raw: true,
        execute: () => value,
      }),
    ]
    expect((await callOnce(strict, 'give')).answer?.errorCode).toBe('INVALID_ARGUMENT')
    const declared = [tool({ name: 'give', description: 'x', inputSchema: z.object({}), raw: true })]
    expect((await callOnce(declared, 'give')).result.stopReason).toBe('client_tool_required')
  })

  it('toResult replaces the normalisation for the model; the evidence keeps the value; if it throws, the default is used', async () => {
    const short = await returning(
      { rows: [1, 2, 3] },
      { toResult: (value: { rows: number[] }) => `${value.rows.length} rows` },
    )
    expect(dataOf(short.answer)).toBe('3 rows')
    expect((await short.agent.store.evidence.get(short.answer?.evidenceUri ?? ''))?.value).toEqual({ rows: [1, 2, 3] })
    const broken = await returning(
      { a: 1 },
      {
        toResult: () => {
          throw new Error('no')
        },
      },
    )
    expect(dataOf(broken.answer)).toEqual({ a: 1 })
  })

  it('an outputSchema violation fails a read with the paths, and leaves a write a success', async () => {
    const outputSchema = z.object({ count: z.number() })
    const read = await returning({ count: 'three' }, { outputSchema })
    expect(read.answer?.errorCode).toBe('INVALID_OUTPUT')
    expect(read.shown).toContain('count must be number')
    expect(read.shown).not.toContain('three')
    expect((await read.agent.store.evidence.get(read.answer?.evidenceUri ?? ''))?.value).toEqual({ count: 'three' })
    const write = await returning({ count: 'three' }, { outputSchema, effects: 'write' })
    expect(write.answer?.status).toBe('success')
    const good = await returning({ count: 3 }, { outputSchema })
    expect(dataOf(good.answer)).toEqual({ count: 3 })
  })
})

describe('limits of a tool', () => {
  const limited = (options: object, execute: () => unknown = () => 1) =>
    tool({ name: 'limited', description: 'x', inputSchema: z.object({}), effects: 'read', execute, ...options })

  async function callTimes(made: ReturnType<typeof limited>, times: number): Promise<readonly string[]> {
    const model = new ScriptedChatClient([
      { calls: Array.from({ length: times }, () => ({ name: 'limited' })) },
      'done',
    ])
    const result = await new Agent({ model, tools: [made] }).run('go')
    return result.messages
      .flatMap((message) => message.parts)
      .flatMap((part) => (part.kind === 'function_result' ? [part.errorCode ?? part.status] : []))
  }

  it('MAF 18: lifetime limits fail the calls beyond them, exactly, under parallel calls; counters can be read and reset', async () => {
    const made = limited({ maxInvocations: 3 }, async () => sleep(1))
    expect(await callTimes(made, 5)).toEqual(['success', 'success', 'success', 'BUDGET_EXCEEDED', 'BUDGET_EXCEEDED'])
    expect(await callTimes(made, 1)).toEqual(['BUDGET_EXCEEDED'])
    expect(made.counters.invocations).toBe(3)
    made.resetCounters()
    expect(await callTimes(made, 1)).toEqual(['success'])
    const failing = limited({ maxInvocationExceptions: 1 }, () => {
      throw new Error('no')
    })
    expect(await callTimes(failing, 1)).toEqual(['INTERNAL'])
    expect(failing.counters.exceptions).toBe(1)
    expect(await callTimes(failing, 1)).toEqual(['BUDGET_EXCEEDED'])
  })

  it('the same limits per run start anew with every run', async () => {
    const made = limited({ perRun: { maxInvocations: 1 } })
    expect(await callTimes(made, 2)).toEqual(['success', 'BUDGET_EXCEEDED'])
    expect(await callTimes(made, 2)).toEqual(['success', 'BUDGET_EXCEEDED'])
  })

  it.each([0, -1, 1.5])('maxInvocations %d is refused', (maxInvocations) => {
    expect(() => limited({ maxInvocations })).toThrow(/maxInvocations must be a whole number from 1/)
  })
})

describe('contracts on copies', () => {
  const read = tool({
    name: 'read_it',
    description: 'x',
    inputSchema: z.object({ a: z.string() }),
    effects: 'read',
    execute: ({ a }) => a,
  })

  it('requireApproval asks for any tool, always or when told, and keeps what it asked before', async () => {
    expect((await callOnce([requireApproval(read)], 'read_it', { a: 'x' })).result.stopReason).toBe('approval_required')
    const when = requireApproval(read, ({ arguments: args }) => args['a'] === 'x')
    expect((await callOnce([when], 'read_it', { a: 'x' })).result.stopReason).toBe('approval_required')
    expect((await callOnce([when], 'read_it', { a: 'y' })).result.stopReason).toBe('answered')
    const both = requireApproval(when, ({ arguments: args }) => args['a'] === 'y')
    expect((await callOnce([both], 'read_it', { a: 'x' })).result.stopReason).toBe('approval_required')
    expect(read.contract.needsApproval).toBe(false)
  })

  it.each([
    [{ risk: 'low' }, { risk: 'high' }],
    [{ effects: 'read' }, { effects: 'write' }],
    [{ class: 'readOnly' }, { class: 'nonIdempotent' }],
    [{ needsApproval: false }, { needsApproval: true }],
    [{ needsApproval: () => false }, { needsApproval: true }],
    [{ timeoutMs: 20 }, { timeoutMs: 10 }],
    [{ timeoutMs: null }, { timeoutMs: 10 }],
    [{ environments: ['dev', 'prod'] }, { environments: ['dev'] }],
    [{ environments: [] }, { environments: ['dev'] }],
    [{ sandbox: null }, { sandbox: 'strict' }],
    [{ retry: { maxAttempts: 5 } }, { retry: { maxAttempts: 2 } }],
  ])('loosening to %o from %o needs an operator and is named', (looser, from) => {
    const strict = withContract(read, { ...(from as object) } as never, { operator: true })
    expect(() => withContract(strict, looser as never)).toThrow(/would loosen/)
    const vouched = withContract(strict, looser as never, { operator: true })
    expect(vouched.contract.loosened).toContain(Object.keys(looser)[0])
    expect(withContract(withContract(read, looser as never, { operator: true }), from as never).contract).toMatchObject(
      from,
    )
  })

  it('cannot change what the tool itself is', () => {
    expect(() => withContract(read, { name: 'other' } as never)).toThrow(/part of the tool itself/)
  })

  it('a copy shares the counters of its tool: a limit cannot be walked around', async () => {
    const once = tool({
      name: 'once',
      description: 'x',
      inputSchema: z.object({}),
      effects: 'read',
      maxInvocations: 1,
      execute: () => 1,
    })
    const copy = withContract(once, { risk: 'high' })
    expect((await callOnce([once], 'once')).answer?.status).toBe('success')
    expect((await callOnce([copy], 'once')).answer?.errorCode).toBe('BUDGET_EXCEEDED')
  })
})

describe('a worker thread', () => {
  const worker = new URL('tool/worker-fixture.mjs', import.meta.url)
  const inputSchema = z.object({ mode: z.string(), a: z.number().default(1), b: z.number().default(2) })
  const threaded = (options: object = {}) =>
    tool({ name: 'threaded', description: 'x', inputSchema, effects: 'read', worker, ...options })

  it('runs the module with arguments and what of the context can be sent', async () => {
    const { answer, call } = await callOnce([threaded()], 'threaded', { mode: 'add' })
    expect(dataOf(answer)).toEqual({ sum: 3, key: 64, call: call?.id })
  })

  it('MAF 9: a tool that never yields blocks nobody: its siblings progress and its deadline ends it', async () => {
    const order: string[] = []
    const quick = tool({
      name: 'quick',
      description: 'x',
      inputSchema: z.object({}),
      effects: 'read',
      execute: async () => {
        await sleep(1)
        order.push('quick')
      },
    })
    const model = new ScriptedChatClient([
      { calls: [{ name: 'threaded', arguments: { mode: 'spin' } }, { name: 'quick' }] },
      'done',
    ])
    const agent = new Agent({ model, tools: [threaded({ timeoutMs: 300 }), quick] })
    const result = await agent.run('go')
    const codes = result.messages
      .flatMap((message) => message.parts)
      .flatMap((part) => (part.kind === 'function_result' ? [part.errorCode ?? part.status] : []))
    expect(codes).toEqual(['TIMEOUT', 'success'])
    expect(order).toEqual(['quick'])
  })

  it.each([
    ['throw', 'INTERNAL'],
    ['coded', 'QUOTA_SPENT'],
    ['exit', 'INTERNAL'],
  ])('a thread that ends by %s is answered %s', async (mode, code) => {
    const { answer, shown } = await callOnce([threaded()], 'threaded', { mode })
    expect(answer?.errorCode).toBe(code)
    expect(shown).not.toContain('secret of the worker')
  })

  it('worker and execute together are refused', () => {
    expect(() => threaded({ execute: () => 1 })).toThrow(/both worker and execute/)
  })
})

describe('secrets and sandboxes', () => {
  it('refuse unless configured, and are handed tool and principal when they are', async () => {
    const using = tool({
      name: 'using',
      description: 'x',
      inputSchema: z.object({}),
      effects: 'read',
      execute: async (_, context) => (await context.secrets.lease('DB_PASSWORD')).length,
    })
    expect((await callOnce([using], 'using')).answer?.errorCode).toBe('PERMISSION_DENIED')
    const asked: object[] = []
    const model = new ScriptedChatClient([{ calls: [{ name: 'using' }] }, 'done'])
    const secrets = { lease: async (name: string, request: object) => (asked.push({ name, ...request }), 'hunter2') }
    await new Agent({ model, tools: [using], secrets, principal: { id: 'ann' } }).run('go')
    expect(asked).toEqual([{ name: 'DB_PASSWORD', tool: 'using', principal: { id: 'ann' } }])
    const boxed = tool({
      name: 'boxed',
      description: 'x',
      inputSchema: z.object({}),
      execute: (_, context) => context.sandbox.run('strict', { argv: ['ls'], timeoutMs: 1, signal: context.signal }),
    })
    expect((await callOnce([boxed], 'boxed')).answer?.errorCode).toBe('SANDBOX_VIOLATION')
  })
})

describe("AI SDK tools' own rule for approval", () => {
  it.each([
    ['context', (_: unknown, options: { context?: { strict?: boolean } }) => options.context?.strict === true],
    [
      'experimental_context',
      (_: unknown, { experimental_context: given }: { experimental_context?: unknown }) => given,
    ],
    ['toolCallId', (_: unknown, options: { toolCallId?: string }) => options.toolCallId === 'x'],
  ])('that reads "%s", which is not known when a call is judged, lets nothing run', async (name, needsApproval) => {
    const told: string[] = []
    let ran = 0
    const gated = { description: 'Asks.', inputSchema: z.object({}), needsApproval, execute: () => void ran++ }
    const agent = new Agent({
      model: new ScriptedChatClient([{ calls: [{ name: 'gated', arguments: {} }] }, 'done']),
      tools: { gated },
      services: { strict: true },
      logger: { info: () => undefined, warn: (message) => void told.push(message) },
    })
    const { runId } = await agent.run('go')
    const [call] = await agent.store.journal.calls(runId)
    expect(call?.result?.errorCode).toBe('POLICY_ERROR')
    expect(told.join()).toContain(`reads "${name}"`)
    expect(ran).toBe(0)
  })
})
