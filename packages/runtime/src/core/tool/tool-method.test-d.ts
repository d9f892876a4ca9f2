import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import type { InvocationContext, Tool } from '../index.ts'
import { Agent, toolFor, toolMethod, toolsFrom, toolsOf } from '../index.ts'

type Services = { readonly db: { readonly get: (key: string) => number } }

const city = z.object({ city: z.string(), days: z.number().default(1) })

class Plugin {
  @toolMethod({ description: 'x', inputSchema: city })
  whole({ city: place, days }: { readonly city: string; readonly days: number }): string {
    return `${place} ${days}`
  }

  @toolMethod({ description: 'x', inputSchema: city })
  part(args: { readonly city: string }): string {
    return args.city
  }

  @toolMethod({ description: 'x', inputSchema: z.object({}) })
  async none(): Promise<void> {}

  // The method itself may say which services it wants …
  @toolMethod({ description: 'x', inputSchema: city })
  served(_args: object, { services }: InvocationContext<Services>): number {
    return services.db.get('a')
  }

  // @ts-expect-error the schema gives no number for `city`
  @toolMethod({ description: 'x', inputSchema: city })
  wrong(args: { readonly city: number }): number {
    return args.city
  }

  // @ts-expect-error the schema gives no `country`
  @toolMethod({ description: 'x', inputSchema: city })
  more(args: { readonly city: string; readonly country: string }): string {
    return args.country
  }

  // @ts-expect-error nobody gives a third argument
  @toolMethod({ description: 'x', inputSchema: city })
  third(_args: object, _context: InvocationContext, third: string): string {
    return third
  }

  // @ts-expect-error a static method belongs to no instance
  @toolMethod({ description: 'x', inputSchema: z.object({}) })
  static shared(): void {}

  // @ts-expect-error a private method is nobody's tool
  @toolMethod({ description: 'x', inputSchema: z.object({}) })
  #hidden(): void {}

  reveal(): void {
    this.#hidden()
  }

  // @ts-expect-error the method is what the tool runs
  @toolMethod({ description: 'x', inputSchema: z.object({}), execute: () => 1 })
  doubled(): void {}
}

expectTypeOf(toolsOf(new Plugin())).toEqualTypeOf<readonly Tool[]>()
new Agent({ tools: [new Plugin(), toolsOf(new Plugin())] })
new Agent({ tools: new Plugin() })

// @ts-expect-error something with a schema but without a description is no tool
new Agent({ tools: [{ name: 'x', inputSchema: city }] })

// @ts-expect-error a text is no tool
new Agent({ tools: ['get_weather'] })

// … and so may all of them at once.
const defineTool = toolFor<Services>()

const typed = defineTool({
  name: 'count',
  description: 'x',
  inputSchema: city,
  execute: (args, context) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>()
    expectTypeOf(context).toEqualTypeOf<InvocationContext<Services>>()
    return context.services.db.get(args.city)
  },
})
expectTypeOf(typed).toEqualTypeOf<Tool<{ city: string; days: number }, Services>>()
new Agent({ tools: [typed] })

class Served {
  @defineTool.method({
    description: 'x',
    inputSchema: city,
    dryRun: (args, { services }) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>()
      expectTypeOf(services).toEqualTypeOf<Services>()
      return args.city
    },
  })
  fits(args: { readonly city: string }, { services }: InvocationContext<Services>): number {
    return services.db.get(args.city)
  }

  // @ts-expect-error the agent has no such services
  @defineTool.method({ description: 'x', inputSchema: city })
  wrong(_args: object, { services }: InvocationContext<{ readonly queue: string }>): string {
    return services.queue
  }
}
new Agent({ tools: [new Served()] })

const stock = {
  count: (args: { readonly city: string }) => args.city.length,
  ask: (_args: object, { services }: InvocationContext<Services>) => services.db.get('a'),
  limit: 3,
}

expectTypeOf(
  toolsFrom(stock, { count: { description: 'x', inputSchema: city }, ask: { description: 'x', inputSchema: city } }),
).toEqualTypeOf<readonly Tool[]>()
toolsFrom(new Plugin(), { part: { description: 'x', inputSchema: city, dryRun: ({ days }) => days.toFixed() } })
defineTool.from(stock, { ask: { description: 'x', inputSchema: city } })

// @ts-expect-error `count` wants a text, the schema gives a number
toolsFrom(stock, { count: { description: 'x', inputSchema: z.object({ city: z.number() }) } })

// @ts-expect-error there is no such method
toolsFrom(stock, { missing: { description: 'x', inputSchema: city } })

// @ts-expect-error `limit` is no method
toolsFrom(stock, { limit: { description: 'x', inputSchema: city } })

// @ts-expect-error `ask` wants other services
toolFor<{ readonly queue: string }>().from(stock, { ask: { description: 'x', inputSchema: city } })
