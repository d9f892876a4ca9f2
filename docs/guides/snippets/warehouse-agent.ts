// #region agent
import { createOpenAI } from '@ai-sdk/openai'
import { fromAiSdk } from '@fairlead/runtime/models'
import { Agent, tool } from 'fairlead'
import { z } from 'zod'

const stock = new Map([['coffee', 12]])

/** An agent that asks OpenAI's API, or another server of the same API at `baseURL`. */
export function warehouseAgent(settings: { readonly apiKey: string; readonly baseURL?: string }): Agent {
  return new Agent({
    name: 'warehouse',
    model: fromAiSdk(createOpenAI(settings)('gpt-5.1')),
    instructions: 'You answer questions about the stock. Look before you answer.',
    tools: [
      tool({
        name: 'count_stock',
        description: 'How many of one article are in the warehouse. Not for prices.',
        inputSchema: z.strictObject({ article: z.string() }),
        effects: 'read',
        execute: ({ article }) => ({ article, count: stock.get(article) ?? 0 }),
      }),
    ],
    maxIterations: 10,
  })
}
// #endregion
