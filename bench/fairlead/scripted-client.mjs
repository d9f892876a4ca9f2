const usage = { inputTokens: 10, outputTokens: 5 }

/** A `ChatClient` that follows the script and keeps no state: which turn it is, the conversation says. */
export function scriptedClient(script, workload) {
  const turnOf = ({ messages }) => {
    const turn = messages.filter((message) => message.role === 'assistant').length
    if (turn >= script.turns) return { parts: [{ kind: 'text', text: 'done' }], finishReason: 'stop', usage }
    const parts = Array.from({ length: script.calls }, (_, index) => ({
      kind: 'function_call',
      callId: `c${turn}_${index}`,
      name: 'add',
      arguments: JSON.stringify(workload.args(index)),
    }))
    return { parts, finishReason: 'tool_calls', usage }
  }
  return {
    model: 'scripted',
    generate: async (request) => turnOf(request),
    async *stream(request) {
      const { parts, finishReason } = turnOf(request)
      for (const part of parts) {
        yield part.kind === 'text' ? { kind: 'text-delta', id: '0', text: part.text } : { kind: 'part', part }
      }
      yield { kind: 'finish', finishReason, usage }
    },
  }
}
