const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

/**
 * A language model of the AI SDK (specification `v3` or `v4`) that follows the script. It keeps no state: which turn
 * it is, the prompt says. The same object serves the AI SDK itself and Fairlead's `fromAiSdk`.
 */
export function aiSdkModel(specificationVersion, script, workload) {
  const callsOf = (prompt) => {
    const turn = prompt.filter((message) => message.role === 'assistant').length
    if (turn >= script.turns) return null
    return Array.from({ length: script.calls }, (_, index) => ({
      type: 'tool-call',
      toolCallId: `c${turn}_${index}`,
      toolName: 'add',
      input: JSON.stringify(workload.args(index)),
    }))
  }
  const finishReason = (calls) => ({ unified: calls === null ? 'stop' : 'tool-calls', raw: undefined })
  return {
    specificationVersion,
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const calls = callsOf(prompt)
      const content = calls ?? [{ type: 'text', text: 'done' }]
      return { content, finishReason: finishReason(calls), usage, warnings: [] }
    },
    async doStream({ prompt }) {
      const calls = callsOf(prompt)
      const parts = [
        { type: 'stream-start', warnings: [] },
        ...(calls === null ? textParts : calls.flatMap(callParts)),
        { type: 'finish', finishReason: finishReason(calls), usage },
      ]
      return { stream: streamOf(parts) }
    },
  }
}

const textParts = [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'done' },
  { type: 'text-end', id: '0' },
]

function callParts(call) {
  const id = call.toolCallId
  return [
    { type: 'tool-input-start', id, toolName: call.toolName },
    { type: 'tool-input-delta', id, delta: call.input },
    { type: 'tool-input-end', id },
    call,
  ]
}

/** A web stream of the parts, as providers hand them out. */
export function streamOf(parts) {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      if (next < parts.length) controller.enqueue(parts[next++])
      else controller.close()
    },
  })
}
