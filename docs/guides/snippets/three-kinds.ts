// #region three-kinds
import { Agent, agentMiddleware, chatMiddleware, functionMiddleware, tool, type Middleware } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

export const seen: string[] = []

const aroundRuns: Middleware = agentMiddleware(
  async (context, next) => {
    seen.push(`run: ${context.input.length} message`)
    await next()
    seen.push(`run stopped: ${context.result?.stopReason}`)
  },
  { name: 'around_runs' },
)

const aroundTurns: Middleware = chatMiddleware(
  async (context, next) => {
    seen.push(`turn ${context.turn}`)
    await next()
  },
  { name: 'around_turns' },
)

const aroundCalls: Middleware = functionMiddleware(
  async (context, next) => {
    seen.push(`call ${context.tool.name} ${JSON.stringify(context.args)}`)
    await next()
    seen.push(`call ended: ${context.result?.status}`)
  },
  { name: 'around_calls' },
)

const countStock = tool({
  name: 'count_stock',
  description: 'How many of one article are in the warehouse. Not for prices.',
  inputSchema: z.strictObject({ article: z.string() }),
  effects: 'read',
  execute: ({ article }) => ({ article, count: 12 }),
})

export async function askForCoffee(): Promise<string> {
  const model = new ScriptedChatClient([
    { calls: [{ name: 'count_stock', arguments: { article: 'coffee' } }] },
    'There are 12.',
  ])
  const agent = new Agent({ model, tools: [countStock], middleware: [aroundRuns, aroundTurns, aroundCalls] })
  return (await agent.run('How much coffee is there?')).text
}
// #endregion
