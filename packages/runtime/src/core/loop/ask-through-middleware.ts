import type { ChatClient, ChatRequest, ChatResponse } from '../chat/chat-client.ts'
import { updatesOf } from '../chat/fold-updates.ts'
import { readResponse } from '../chat/read-response.ts'
import { thrownText } from '../call/thrown.ts'
import type { PieceHooks } from '../middleware/piece-hooks.ts'
import { ModelFailure, TurnPassage, type TurnEnd } from '../middleware/turn-passage.ts'
import { askModelThen, tellOf, type AskedTurn, type ModelAnswer, type ModelSetting } from './ask-model.ts'
import type { LoopSetup } from './loop-setup.ts'

/**
 * One model turn through chat middleware, which may change what is asked and answered, ask again, or answer itself.
 * Never rejects, and outlasts neither the turn's time nor an abort, whatever the middleware does.
 */
export function askThroughMiddleware(
  setup: LoopSetup,
  model: ChatClient,
  request: ChatRequest,
  setting: ModelSetting,
): Promise<AskedTurn> {
  return new Promise((resolve) => {
    new TurnThrough(setup, model, setting, resolve).begin(request)
  })
}

/** A turn on its way through middleware. By callbacks: every turn of every run with chat middleware takes this way. */
class TurnThrough {
  readonly #setup: LoopSetup
  readonly #model: ChatClient
  readonly #setting: ModelSetting
  readonly #resolve: (answer: AskedTurn) => void
  readonly #asked: ChatResponse[] = []
  #unanswered: Extract<ModelAnswer, { kind: 'aborted' | 'late' }> | null = null
  #timer: AbortController | null = null
  #stopListening: () => void = () => undefined
  #isOver = false

  constructor(setup: LoopSetup, model: ChatClient, setting: ModelSetting, resolve: (answer: AskedTurn) => void) {
    this.#setup = setup
    this.#model = model
    this.#setting = setting
    this.#resolve = resolve
  }

  begin(request: ChatRequest): void {
    const { scope, ports } = this.#setup.pipeline
    const { fan, timeoutMs, streaming } = this.#setting
    const passage = new TurnPassage({
      steps: scope.chains.chat,
      scope,
      clock: ports.clock,
      turn: this.#setup.writer.run.turns + 1,
      streaming,
      request,
      ask: (wanted, hooks, told) => this.#ask(wanted, hooks, told),
    })
    this.#stopListening = fan.listen(() => this.#leave(passage, 'aborted'))
    if (timeoutMs !== null) this.#leaveAfter(timeoutMs, passage)
    passage.run((end) => this.#finish(passage, end))
  }

  #ask(wanted: ChatRequest, hooks: PieceHooks | null, told: (answer: ChatResponse | ModelFailure) => void): void {
    const setting = hooks === null ? this.#setting : { ...this.#setting, hooks }
    askModelThen(
      this.#model,
      (signal) => ({ ...wanted, signal }),
      setting,
      (answer) => told(this.#heard(answer)),
    )
  }

  #heard(answer: ModelAnswer): ChatResponse | ModelFailure {
    switch (answer.kind) {
      case 'answered':
        this.#asked.push(answer.response)
        return answer.response
      case 'failed':
      case 'stopped':
        return new ModelFailure(answer.error)
      case 'aborted':
      case 'late':
        this.#unanswered = answer
        return new ModelFailure('The turn was stopped.')
      default:
        return answer satisfies never
    }
  }

  #finish(passage: TurnPassage, end: TurnEnd): void {
    if (this.#unanswered !== null && end.kind !== 'stopped') return this.#end(this.#unanswered)
    // What the model said was read when it came.
    const isRead = end.kind === 'answered' && end.response === this.#asked.at(-1)
    const answer: ModelAnswer = isRead ? end : answerOf(end)
    if (!passage.asked && answer.kind === 'answered') tellWhole(answer.response, this.#setting)
    this.#end(answer)
  }

  /** Nobody waits for the middleware any more. */
  #leave(passage: TurnPassage, kind: 'aborted' | 'late'): void {
    this.#end({ kind })
    passage.close()
  }

  #leaveAfter(ms: number, passage: TurnPassage): void {
    const timer = new AbortController()
    this.#timer = timer
    this.#setting.clock.sleep(ms, timer.signal).then(
      () => this.#leave(passage, 'late'),
      () => undefined,
    )
  }

  #end(answer: ModelAnswer): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopListening()
    this.#timer?.abort()
    this.#resolve(Object.assign({ asked: this.#asked }, answer))
  }
}

function answerOf(end: TurnEnd): ModelAnswer {
  switch (end.kind) {
    case 'answered':
      try {
        return { kind: 'answered', response: readResponse(end.response) }
      } catch (error) {
        return { kind: 'failed', error: thrownText(error) }
      }
    case 'failed':
      return { kind: 'failed', error: thrownText(end.error) }
    case 'stopped': {
      return { kind: 'stopped', error: `Guard "${end.by}" stopped the model's turn: ${thrownText(end.error)}` }
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
