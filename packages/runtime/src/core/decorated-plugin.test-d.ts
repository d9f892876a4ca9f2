// Decorator syntax. Its types are checked like those of its neighbours; plugins.test.ts also runs it, through tsx,
// because vitest's own transform leaves decorators as they are and Node does not know them.
import { stdout } from 'node:process'
import { z } from 'zod'
import { Agent, textOf, toolFor, toolMethod, toolsOf, type InvocationContext, type Json, type Tool } from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

type WeatherApi = { readonly ask: (city: string) => string }
type AppServices = { readonly unit: string }

const defineTool = toolFor<AppServices>()

class Plugin {
  readonly asked: string[] = []

  @toolMethod({ description: 'How often it was asked.', inputSchema: z.object({}), effects: 'read' })
  count_questions(): string {
    return `asked ${this.asked.length} times`
  }

  @toolMethod({ description: 'Who it is.', inputSchema: z.object({}), effects: 'read' })
  who(): string {
    return 'a plugin'
  }
}

class WeatherPlugin extends Plugin {
  readonly #api: WeatherApi

  constructor(api: WeatherApi) {
    super()
    this.#api = api
  }

  @defineTool.method({
    name: 'get_weather',
    description: 'Weather of one city.',
    inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
    effects: 'read',
  })
  async weather(
    { city, days }: { city: string; days: number },
    { services }: InvocationContext<AppServices>,
  ): Promise<string> {
    this.asked.push(city)
    return `${this.#api.ask(city)} for ${days} ${services.unit}`
  }

  override who(): string {
    return `${super.who()} about weather`
  }

  close(): void {
    this.asked.length = 0
  }
}

/** Calls each tool of an agent once and gives the texts the model saw. */
async function texts(
  tools: readonly (Tool | object)[],
  calls: readonly { readonly name: string; readonly arguments?: Json }[],
): Promise<readonly string[]> {
  const model = new ScriptedChatClient([{ calls }, 'done'])
  const agent = new Agent({ model, tools, services: { unit: 'days' } })
  const { messages } = await agent.run('go')
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.kind === 'function_result' ? [textOf(part.content)] : []))
}

const plugin = new WeatherPlugin({ ask: (city) => `sunny in ${city}` })
const report = {
  names: toolsOf(plugin).map(({ contract }) => contract.name),
  texts: await texts(
    [plugin, plugin, toolsOf(plugin)],
    [{ name: 'get_weather', arguments: { city: 'Bern' } }, { name: 'count_questions' }, { name: 'who' }],
  ),
  asked: plugin.asked,
}
stdout.write(JSON.stringify(report))
