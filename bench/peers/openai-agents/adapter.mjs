import { Agent, Runner, setTracingDisabled, tool, Usage } from '@openai/agents'
import { z } from 'zod'

export default async (workload) => {
  setTracingDisabled(true)
  const runner = new Runner({ tracingDisabled: true })
  const parameters = z.object({ a: z.number(), b: z.number(), note: z.string() })
  const add = tool({ name: 'add', description: 'add', parameters, execute: async (args) => workload.execute(args) })
  const agents = new Map()
  const agentFor = (script) => {
    const known = agents.get(script)
    if (known !== undefined) return known
    const made = new Agent({ name: 'bench', instructions: '', model: scriptedModel(script, workload), tools: [add] })
    agents.set(script, made)
    return made
  }
  return {
    name: 'openai-agents',
    generate: async (script) => (await runner.run(agentFor(script), 'go', { maxTurns: 50 })).finalOutput,
    stream: async (script) => {
      const result = await runner.run(agentFor(script), 'go', { maxTurns: 50, stream: true })
      // oxlint-disable-next-line no-unused-vars -- iterating is what is measured
      for await (const _event of result);
      await result.completed
      return result.finalOutput
    },
  }
}

/** Keeps no state: which turn it is, the input says. */
function scriptedModel(script, workload) {
  const outputOf = (input) => {
    const made = Array.isArray(input) ? input.filter((item) => item.type === 'function_call').length : 0
    const turn = script.calls === 0 ? 0 : made / script.calls
    if (turn >= script.turns) return finalOutput
    return Array.from({ length: script.calls }, (_, index) => ({
      type: 'function_call',
      id: `f${turn}_${index}`,
      callId: `c${turn}_${index}`,
      name: 'add',
      status: 'completed',
      arguments: JSON.stringify(workload.args(index)),
    }))
  }
  return {
    async getResponse({ input }) {
      return { usage: new Usage(usage), output: outputOf(input), responseId: 'r' }
    },
    async *getStreamedResponse({ input }) {
      const output = outputOf(input)
      yield { type: 'response_started' }
      if (output === finalOutput) yield { type: 'output_text_delta', delta: 'done' }
      yield { type: 'response_done', response: { id: 'r', usage, output } }
    },
  }
}

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const finalOutput = [
  {
    type: 'message',
    id: 'm',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'done' }],
  },
]
