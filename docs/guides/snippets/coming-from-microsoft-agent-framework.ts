// #region translated
import { Agent, functionMiddleware, tool, type ChatClient, type ContextProvider, type Middleware } from 'fairlead'
import { z } from 'zod'

const getWeather = tool({
  name: 'get_weather',
  description: 'The weather in one city.',
  inputSchema: z.object({ city: z.string().describe('Name of the city.') }),
  effects: 'read',
  execute: ({ city }) => `Clear in ${city}.`,
})

const bookTrain = tool({
  name: 'book_train',
  description: 'Books a train.',
  inputSchema: z.object({ to: z.string() }),
  effects: 'write',
  needsApproval: true,
  execute: ({ to }) => `Booked to ${to}.`,
})

/** Theirs raises MiddlewareTermination; a guard here fails closed by itself. */
const noNightTrains: Middleware = functionMiddleware(
  async (context, next) => {
    if (context.args['to'] === 'nowhere') return context.terminate('There is no such train.')
    await next()
  },
  { name: 'no_night_trains', guard: true },
)

const memory: ContextProvider = {
  name: 'memory',
  beforeRun: (context) => context.addInstructions('Ann likes window seats.'),
}

export function travelAgent(model: ChatClient): Agent {
  return new Agent({
    name: 'travel',
    model,
    instructions: 'You plan trips.',
    tools: [getWeather, bookTrain],
    middleware: [noNightTrains],
    contextProviders: [memory],
  })
}

/** One conversation, approvals in between; it goes on later from its serialised form, also elsewhere. */
export async function plan(agent: Agent, prompt: string): Promise<{ readonly text: string; readonly kept: string }> {
  const session = await agent.session()
  let result = await agent.run(prompt, { session })
  while (result.stopReason === 'approval_required') {
    const answers = result.approvals.map((request) => request.approve({ by: 'ann' }))
    result = await agent.run(answers, { session })
  }
  return { text: result.text, kept: JSON.stringify(await session.serialise()) }
}
// #endregion
