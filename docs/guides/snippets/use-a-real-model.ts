import { countStock } from './define-a-tool.ts'

// #region agent
import { createOpenAI } from '@ai-sdk/openai'
import { fromAiSdk } from '@fairlead/runtime/models'
import { Agent } from 'fairlead'

/** An agent that asks OpenAI's API, or another server of the same API at `baseURL`. */
export function warehouseAgent(settings: { readonly apiKey: string; readonly baseURL?: string }): Agent {
  return new Agent({
    name: 'warehouse',
    model: fromAiSdk(createOpenAI(settings)('gpt-5.1')),
    instructions: 'You answer questions about the stock. Look before you answer.',
    tools: [countStock],
    maxIterations: 10,
  })
}
// #endregion

// #region recorded
import { recorded } from '@fairlead/runtime/models'

/** The same agent from a file of recorded turns: the first run writes it, later ones need neither network nor key. */
export function recordedAgent(agent: Agent, file: string): Agent {
  return agent.model === undefined ? agent : agent.with({ model: recorded(agent.model, file, { mode: 'auto' }) })
}
// #endregion
