import { withinRun } from '../call/within-run.ts'
import type { ChatClient, ChatRequest, ChatResponse } from '../chat/chat-client.ts'
import { updatesOf } from '../chat/fold-updates.ts'
import { readResponse } from '../chat/read-response.ts'
import { cleanText } from '../call/safe-error-text.ts'
import { ModelFailure, TurnPassage, type TurnEnd } from '../middleware/turn-passage.ts'
import { askModel, modelErrorText, tellOf, type AskedTurn, type ModelAnswer, type ModelSetting } from './ask-model.ts'
import type { LoopSetup } from './loop-setup.ts'

/**
 * One model turn through chat middleware, which may change what is asked and answered, ask again, or answer itself.
 * Never rejects, and outlasts neither the turn's time nor an abort, whatever the middleware does.
 */
export async function askThroughMiddleware(
  setup: LoopSetup,
  model: ChatClient,
  request: ChatRequest,
  setting: ModelSetting,
): Promise<AskedTurn> {
  const { scope, ports } = setup.pipeline
  const asked: ChatResponse[] = []
  let unanswered: Extract<ModelAnswer, { kind: 'aborted' | 'late' }> | null = null
  const passage = new TurnPassage({
    steps: scope.chains.chat,
    scope,
    clock: ports.clock,
    turn: setup.writer.run.turns + 1,
    streaming: setting.streaming,
    request,
    async ask(wanted, hooks) {
      const answer = await askModel(model, (signal) => ({ ...wanted, signal }), { ...setting, hooks })
      switch (answer.kind) {
        case 'answered':
          asked.push(answer.response)
          return answer.response
        case 'failed':
        case 'stopped':
          throw new ModelFailure(answer.error)
        case 'aborted':
        case 'late':
          unanswered = answer
          throw new ModelFailure('The turn was stopped.')
        default:
          return answer satisfies never
      }
    },
  })
  const waited = await withinRun(passage.run(), {
    fan: setting.fan,
    clock: setting.clock,
    remainingMs: setting.timeoutMs,
  })
  passage.close()
  switch (waited.kind) {
    case 'done': {
      if (unanswered !== null && waited.value.kind !== 'stopped') return Object.assign({ asked }, unanswered)
      const answer = answerOf(waited.value)
      if (!passage.asked && answer.kind === 'answered') tellWhole(answer.response, setting)
      return Object.assign({ asked }, answer)
    }
    case 'failed':
      return { kind: 'failed', error: modelErrorText(waited.error), asked }
    case 'aborted':
    case 'late':
      return { kind: waited.kind, asked }
    default:
      return waited satisfies never
  }
}

function answerOf(end: TurnEnd): ModelAnswer {
  switch (end.kind) {
    case 'answered':
      try {
        return { kind: 'answered', response: readResponse(end.response) }
      } catch (error) {
        return { kind: 'failed', error: modelErrorText(error) }
      }
    case 'failed':
      return { kind: 'failed', error: modelErrorText(end.error) }
    case 'stopped': {
      const what = end.error instanceof Error ? cleanText(end.error.message) : 'it threw something that is not an error'
      return { kind: 'stopped', error: `Guard "${end.by}" stopped the model's turn: ${what}` }
    }
    default:
      return end satisfies never
  }
}

/** What middleware answered in the model's place is told as the model's turn would have been. */
function tellWhole(response: ChatResponse, { outbox, streaming }: ModelSetting): void {
  if (!streaming) return
  for (const update of updatesOf(response)) {
    const told = tellOf(update)
    if (told !== undefined) outbox.push(told)
  }
}
