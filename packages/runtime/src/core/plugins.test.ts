import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  textOf,
  toolFor,
  toolMethod,
  toolsFrom,
  toolsOf,
  type InvocationContext,
  type Json,
  type ToolList,
} from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

type Call = { readonly name: string; readonly arguments?: Json }

/** Lets a scripted model make calls in one turn and gives what each was answered. */
async function answersOf(tools: ToolList, calls: readonly Call[], options: { readonly services?: unknown } = {}) {
  const model = new ScriptedChatClient([{ calls }, 'done'])
  const agent = new Agent({ model, tools, ...options })
  const result = await agent.run('go')
  const answers = result.messages.flatMap(({ parts }) => parts).filter((part) => part.kind === 'function_result')
  const texts = answers.map((answer) => {
    const [item] = answer.content
    return item?.kind === 'data' ? item.data : textOf(answer.content)
  })
  return { answers, texts, result, model }
}

const invalid = (...words: readonly string[]): unknown =>
  expect.objectContaining({
    code: 'INVALID_TOOL',
    message: expect.stringMatching(new RegExp(words.join('.*'), 's')),
  })

const nothing = z.object({})
const city = z.object({ city: z.string() })

type Decorator = (method: never, context: never) => void

/**
 * Makes an instance as decorator syntax would: the decorator is called when the class is defined, its initializers
 * when an instance is made. vitest's transform does not know decorators.
 */
function withDecorators<T extends object>(
  make: () => T,
  decorators: { readonly [method: string]: Decorator },
  place: object = {},
): () => T {
  const initializers: ((this: T) => void)[] = []
  for (const [name, decorator] of Object.entries(decorators)) {
    const addInitializer = (initializer: (this: T) => void): number => initializers.push(initializer)
    const context = { kind: 'method', name, static: false, private: false, addInitializer, ...place }
    decorator((() => undefined) as never, context as never)
  }
  return () => {
    const instance = make()
    for (const initializer of initializers) initializer.call(instance)
    return instance
  }
}

class Weather {
  #asked = 0
  readonly limit = 2

  get_weather({ city: place }: { readonly city: string }): string {
    return `sunny in ${place}, question ${++this.#asked}`
  }

  forget(): string {
    this.#asked = 0
    return 'forgotten'
  }
}

const weatherDecorators = {
  get_weather: toolMethod({ description: 'Weather of a city.', inputSchema: city, effects: 'read' }) as Decorator,
  forget: toolMethod({ name: 'forget_all', description: 'Forgets.', inputSchema: nothing }) as Decorator,
}

const newWeather = withDecorators(() => new Weather(), weatherDecorators)

describe('a class of tools', () => {
  it('decorator syntax: injected services, inherited and overridden methods, typed services', async () => {
    const program = fileURLToPath(new URL('decorated-plugin.test-d.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program])
    expect(JSON.parse(stdout)).toEqual({
      names: ['count_questions', 'who', 'get_weather'],
      texts: ['sunny in Bern for 1 days', 'asked 1 times', 'a plugin about weather'],
      asked: ['Bern'],
    })
  })

  it('lists the decorated methods of an instance, which run with it as `this`', async () => {
    const weather = newWeather()
    const calls = [
      { name: 'get_weather', arguments: { city: 'Bern' } },
      { name: 'get_weather', arguments: { city: 'Basel' } },
    ]
    const { texts, model } = await answersOf([weather], calls)
    expect(texts).toEqual(['sunny in Bern, question 1', 'sunny in Basel, question 2'])
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['get_weather', 'forget_all'])
    expect((await answersOf(newWeather(), [{ name: 'forget_all' }])).texts).toEqual(['forgotten'])
  })

  it('goes down the pipeline like any tool: arguments are checked, approval is asked', async () => {
    const gated = withDecorators(() => new Weather(), {
      get_weather: toolMethod({
        description: 'x',
        inputSchema: city,
        needsApproval(this: Weather, call) {
          return call.arguments['city'] !== 'x'.repeat(this.limit)
        },
      }) as Decorator,
    })
    const { answers } = await answersOf([gated()], [{ name: 'get_weather', arguments: { city: 7 } }])
    expect(answers[0]?.errorCode).toBe('INVALID_ARGUMENT')
    const asked = await answersOf([gated()], [{ name: 'get_weather', arguments: { city: 'Bern' } }])
    expect(asked.result.stopReason).toBe('approval_required')
    const free = await answersOf([gated()], [{ name: 'get_weather', arguments: { city: 'xx' } }])
    expect(free.texts).toEqual(['sunny in xx, question 1'])
  })

  it('the same instance twice is the same tools; two instances are two tools of one name', () => {
    const weather = newWeather()
    expect(toolsOf(weather)).toEqual(toolsOf(weather))
    expect(toolsOf(weather)[0]).toBe(toolsOf(weather)[0])
    const agent = new Agent({ tools: [weather, [weather], toolsOf(weather), { tools: [weather] }] })
    expect(agent.tools().map(({ name }) => name)).toEqual(['get_weather', 'forget_all'])
    expect(() => new Agent({ tools: [weather, newWeather()] })).toThrow(
      /Two different tools are named "get_weather": one at tools\[0\]\.get_weather .* one at tools\[1\]\.get_weather/,
    )
  })

  it('a plugin may have a list of tools beside its methods, and a method named tools', async () => {
    class Both extends Weather {
      readonly tools = toolsFrom({ up: () => 'up' }, { up: { description: 'Up.', inputSchema: nothing } })
    }
    const both = withDecorators(() => new Both(), weatherDecorators)()
    expect(new Agent({ tools: [both] }).tools().map(({ name }) => name)).toEqual(['get_weather', 'forget_all', 'up'])
    class Shed {
      tools(): string {
        return 'hammer'
      }
    }
    const shed = withDecorators(() => new Shed(), {
      tools: toolMethod({ description: 'Lists tools.', inputSchema: nothing }) as Decorator,
    })
    expect((await answersOf([shed()], [{ name: 'tools' }])).texts).toEqual(['hammer'])
  })

  it('a subclass may describe a method anew; the other instances keep theirs', () => {
    class Loud extends Weather {}
    const newLoud = withDecorators(() => newWeatherOf(new Loud()), {
      get_weather: toolMethod({ name: 'shout_weather', description: 'Loud.', inputSchema: city }) as Decorator,
    })
    expect(toolsOf(newLoud()).map(({ contract }) => contract.name)).toEqual(['shout_weather', 'forget_all'])
    expect(toolsOf(newWeather()).map(({ contract }) => contract.name)).toEqual(['get_weather', 'forget_all'])
  })

  it('works where decorators are called the older way, with prototype and name', async () => {
    class Base extends Weather {
      override get_weather(args: { readonly city: string }): string {
        return super.get_weather(args)
      }

      override forget(): string {
        return super.forget()
      }
    }
    class Derived extends Base {
      override get_weather(args: { readonly city: string }): string {
        return `${super.get_weather(args)}!`
      }
    }
    for (const [name, decorator] of Object.entries(weatherDecorators)) {
      ;(decorator as unknown as (...older: readonly unknown[]) => void)(Base.prototype, name, {})
    }
    expect(() => toolsOf(new Weather())).toThrow(invalid('found Weather, which has none'))
    const calls = [{ name: 'get_weather', arguments: { city: 'Bern' } }, { name: 'forget_all' }]
    expect((await answersOf([new Derived()], calls)).texts).toEqual(['sunny in Bern, question 1!', 'forgotten'])
    expect((await answersOf([new Base()], calls)).texts).toEqual(['sunny in Bern, question 1', 'forgotten'])
  })

  it.each<readonly [string, object, string]>([
    ['a private method', { name: '#ask', private: true }, 'the private method "#ask"'],
    ['a static method', { static: true }, 'the static method "forget"'],
    ['a getter', { kind: 'getter' }, 'a getter "forget"'],
    ['a field', { kind: 'field' }, 'a field "forget"'],
    ['a method named by a symbol', { name: Symbol('forget') }, 'a method without a text for a name'],
  ])('%s is refused when the class is defined', (_, place, words) => {
    const decorator = weatherDecorators.forget
    expect(() => withDecorators(() => new Weather(), { forget: decorator }, place)).toThrow(
      invalid('public methods of instances', words.replaceAll('#', '\\#')),
    )
  })

  it('the older way, too, refuses static methods and fields', () => {
    const older = weatherDecorators.forget as unknown as (...older: readonly unknown[]) => void
    class Made extends Weather {
      static make(): Made {
        return new Made()
      }
      get size(): number {
        return 1
      }
    }
    expect(() => older(Made, 'make', {})).toThrow(invalid('the static method "make"'))
    expect(() => older(Made.prototype, 'limit', undefined)).toThrow(invalid('a member "limit"'))
    expect(() => older(Made.prototype, 'size', {})).toThrow(invalid('a member "size"'))
  })

  it.each<readonly [string, () => unknown, readonly string[]]>([
    ['without options', () => toolMethod(undefined as never), ['takes the options of the tool', '@toolMethod\\(\\{']],
    ['a name no tool can have', () => decorated('hämmern', {}), ['A tool name is 1 to 64', 'hämmern']],
    ['a contradiction', () => decorated('a', { effects: 'write', class: 'readOnly' }), ['class "readOnly"']],
    ['an execute of its own', () => decorated('a', { execute: () => 1 }), ['"a" is itself what the tool runs']],
    ['a misspelt option', () => decorated('a', { needApproval: true }), ['Did you mean "needsApproval"']],
  ])('%s is refused when the class is defined', (_, define, words) => {
    expect(define).toThrow(invalid(...words))
  })

  it.each<readonly [string, unknown, string]>([
    [
      'an instance without such methods',
      new Weather(),
      'tools\\[0\\] must be .* an instance of Weather without @toolMethod',
    ],
    ['the class itself', Weather, 'tools\\[0\\] is the class "Weather". List an instance of it: new Weather'],
  ])('%s is refused, saying so', (_, source, words) => {
    expect(() => new Agent({ tools: [source] as ToolList })).toThrow(invalid(words))
  })

  it('toolsOf says what it was given', () => {
    expect(() => toolsOf(Weather)).toThrow(invalid('found the class "Weather"', 'toolsFrom'))
    expect(() => toolsOf({})).toThrow(invalid('found The object'))
  })
})

function newWeatherOf<T extends Weather>(instance: T): T {
  return withDecorators(() => instance, weatherDecorators)()
}

function decorated(name: string, options: object): unknown {
  const decorator = toolMethod({ description: 'x', inputSchema: nothing, ...options }) as Decorator
  return withDecorators(() => ({}), { [name]: decorator })
}

describe('chosen methods of an object', () => {
  const stock = {
    counts: { coffee: 12 } as { readonly [article: string]: number },
    count({ article }: { readonly article: string }): number {
      return this.counts[article] ?? 0
    },
    reset(): void {
      throw new Error('not a tool')
    },
  }
  const article = z.object({ article: z.string() })

  it('are tools that keep `this`; the others stay the object’s own', async () => {
    const tools = toolsFrom(stock, {
      count: { name: 'count_stock', description: 'Counts.', inputSchema: article, effects: 'read' },
    })
    expect(tools.map(({ contract }) => contract.name)).toEqual(['count_stock'])
    const calls = [{ name: 'count_stock', arguments: { article: 'coffee' } }, { name: 'reset' }]
    const { texts, answers } = await answersOf(tools, calls)
    expect(texts[0]).toBe(12)
    expect(answers[1]?.errorCode).toBe('UNKNOWN_TOOL')
  })

  it('work for instances and their inherited methods', async () => {
    class Louder extends Weather {}
    const tools = toolsFrom(new Louder(), { get_weather: { description: 'x', inputSchema: city } })
    const { texts } = await answersOf(tools, [{ name: 'get_weather', arguments: { city: 'Bern' } }])
    expect(texts).toEqual(['sunny in Bern, question 1'])
  })

  it.each([
    ['missing', 'has no method "missing" to make a tool of; found nothing'],
    ['counts', 'has no method "counts" to make a tool of; found object'],
  ])('%s is refused by name', (method, words) => {
    const methods = { [method]: { description: 'x', inputSchema: nothing } }
    expect(() => toolsFrom(stock as never, methods)).toThrow(invalid('The object', words))
  })
})

describe('typed services', () => {
  it('are what the agent was given', async () => {
    const defineTool = toolFor<{ readonly database: ReadonlyMap<string, number> }>()
    const count = defineTool({
      name: 'count_stock',
      description: 'Counts.',
      inputSchema: z.object({ article: z.string() }),
      execute: ({ article }, { services }) => services.database.get(article.toLowerCase()) ?? 0,
    })
    const services = { database: new Map([['coffee', 12]]) }
    const calls = [{ name: 'count_stock', arguments: { article: 'Coffee' } }]
    expect((await answersOf([count], calls, { services })).texts).toEqual([12])
  })

  it('may come from a container that resolves tokens', async () => {
    type Token<T> = { readonly name: string; readonly type?: T }
    type Container = { readonly resolve: <T>(token: Token<T>) => T }
    type Clock = { readonly now: () => string }
    const clockToken: Token<Clock> = { name: 'clock' }
    // The registration below gives each token a value of its type.
    const container: Container = { resolve: <T>({ name }: Token<T>) => registered.get(name) as T }
    const registered = new Map<string, unknown>([['clock', { now: () => 'noon' }]])

    const defineTool = toolFor<Container>()
    const own = { ask: (_: object, { services }: InvocationContext<Container>) => services.resolve(clockToken).now() }
    class Clocks {
      tell(_: object, { services }: InvocationContext<Container>): string {
        return `it is ${services.resolve(clockToken).now()}`
      }
    }
    const clocks = withDecorators(() => new Clocks(), {
      tell: defineTool.method({ description: 'Tells.', inputSchema: nothing }) as Decorator,
    })
    const tools = [
      defineTool({
        name: 'now',
        description: 'The time.',
        inputSchema: nothing,
        execute: (_, { services }) => services.resolve(clockToken).now(),
      }),
      defineTool.from(own, { ask: { description: 'The time.', inputSchema: nothing } }),
      clocks(),
    ]
    const calls = [{ name: 'now' }, { name: 'ask' }, { name: 'tell' }]
    expect((await answersOf(tools, calls, { services: container })).texts).toEqual(['noon', 'noon', 'it is noon'])
  })
})

it('a function of one parameter that says nothing about it is told so in the singular', () => {
  const add = (a: number): number => a
  expect(() => new Agent({ tools: [add] })).toThrow(/takes 1 parameter but says nothing about it\. Write tool/)
})
