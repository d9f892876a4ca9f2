// #region appearing
import { Agent, functionMiddleware, tool, type Tool } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

const returnArticle: Tool = tool({
  name: 'return_article',
  description: 'Sends one article back to the supplier.',
  inputSchema: z.strictObject({ article: z.string() }),
  effects: 'destructive',
  execute: ({ article }) => `${article} goes back.`,
})

/** Two tools in the list, and more when they are needed. */
const openReturns: Tool = tool({
  name: 'open_returns',
  description: 'Makes the tools for returns available.',
  inputSchema: z.strictObject({}),
  effects: 'read',
  execute: (_, context) => {
    context.tools.add(returnArticle)
    return 'You can return articles now.'
  },
})

/** One return in each run. */
const returnOnce = functionMiddleware(
  async (context, next) => {
    await next()
    if (context.tool.name === 'return_article') context.tools.remove('return_article')
  },
  { name: 'return_once' },
)

/** The names the model was told before each of its turns. */
export async function toolsOfEachTurn(): Promise<readonly (readonly string[])[]> {
  const model = new ScriptedChatClient([
    { calls: [{ name: 'open_returns' }] },
    { calls: [{ name: 'return_article', arguments: { article: 'coffee' } }] },
    'It goes back.',
  ])
  const agent = new Agent({ model, tools: [openReturns], middleware: returnOnce })
  await agent.run('The coffee is bad.')
  return model.requests.map(({ tools }) => tools.map(({ name }) => name))
}
// #endregion
