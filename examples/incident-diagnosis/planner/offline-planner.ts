import type { ChatClient, ChatRequest, ChatUpdate } from '@fairlead/runtime'
import { planTurn } from './plan-turn.ts'
import { responseOf } from './turn.ts'

/**
 * A deterministic stand-in for a model that diagnoses incidents: it proposes the calls of an incident diagnosis, reads
 * their results and writes the report. It keeps no state; the same request always gets the same turn.
 */
export function offlinePlanner(): ChatClient {
  return {
    model: 'offline-planner',
    notice: 'This answer comes from a deterministic offline planner, not from a language model.',
    async generate(request) {
      request.signal.throwIfAborted()
      return responseOf(planTurn(request))
    },
    stream: streamTurn,
  }
}

async function* streamTurn(request: ChatRequest): AsyncGenerator<ChatUpdate, void, undefined> {
  request.signal.throwIfAborted()
  const { parts, finishReason } = responseOf(planTurn(request))
  for (const [index, part] of parts.entries()) {
    if (part.kind !== 'text') {
      yield { kind: 'part', part }
      continue
    }
    for (const text of part.text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      request.signal.throwIfAborted()
      yield { kind: 'text-delta', id: `text-${index}`, text }
    }
  }
  yield { kind: 'finish', finishReason }
}
