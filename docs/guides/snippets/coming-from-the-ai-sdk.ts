// #region translated
import { fromAiSdk } from '@fairlead/runtime/models'
import { Agent, keepWithinTokens, tool, type ChatClient, type PendingApproval } from 'fairlead'
import { z } from 'zod'

/** Tools as the AI SDK writes them: listed by name, they may stay as they are. */
const bookTrain = {
  description: 'Books a train.',
  inputSchema: z.object({ to: z.string() }),
  needsApproval: true,
  execute: async ({ to }: { readonly to: string }) => `Booked to ${to}.`,
}
const sky = {
  description: 'The weather in one city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }: { readonly city: string }) => ({ city, sky: 'clear' }),
}

/** What theirs cannot say, that it only reads: a tool of Fairlead's around it. */
const weather = tool({
  name: 'weather',
  description: sky.description,
  inputSchema: sky.inputSchema,
  effects: 'read',
  execute: (args) => sky.execute(args),
})

const tools = { weather, bookTrain }

export function travelAgent(model: ChatClient): Agent {
  return new Agent({
    model,
    instructions: 'You plan trips.',
    tools,
    maxIterations: 20,
    compaction: keepWithinTokens(8000),
  })
}

/** A model of the AI SDK becomes a model of Fairlead. */
export function travelAgentWith(model: Parameters<typeof fromAiSdk>[0]): Agent {
  return travelAgent(fromAiSdk(model))
}

/** The text as it comes; a person is asked between two streams, with the answers as the next input. */
export async function plan(
  agent: Agent,
  prompt: string,
  decide: (approval: PendingApproval) => boolean,
): Promise<{ readonly text: string; readonly streamed: string }> {
  const session = await agent.session()
  let streamed = ''
  let stream = agent.stream(prompt, { session })
  for (;;) {
    for await (const update of stream) if (update.kind === 'text-delta') streamed += update.text
    const result = await stream.result
    if (result.stopReason !== 'approval_required') return { text: result.text, streamed }
    const answers = result.approvals.map((approval) =>
      decide(approval) ? approval.approve({ by: 'ann' }) : approval.deny({ by: 'ann', reason: 'Too late for me.' }),
    )
    stream = agent.stream(answers, { session })
  }
}
// #endregion
