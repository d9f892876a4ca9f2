import type { AbortFan } from '../call/abort-fan.ts'
import { CallSignal } from '../call/call-signal.ts'
import type { ChatClient, ChatRequest, ChatResponse, ChatUpdate } from '../chat/chat-client.ts'
import { UpdateFolder, updatesOf } from '../chat/fold-updates.ts'
import { readResponse } from '../chat/read-response.ts'
import { retryDelayMs } from '../chat/model-call-error.ts'
import { thrownError, thrownText } from '../call/thrown.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { PieceHooks } from '../middleware/piece-hooks.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outbox } from './outbox.ts'
import type { RunUpdate } from './run-update.ts'

export type ModelAnswer =
  | { readonly kind: 'answered'; readonly response: ChatResponse }
  | { readonly kind: 'failed'; readonly error: string }
  /** A guard around the turn failed. */
  | { readonly kind: 'stopped'; readonly error: string }
  | { readonly kind: 'aborted' }
  /** The run's time was over before the turn was. */
  | { readonly kind: 'late' }

/** A model's answer, and the turns of the model it took where that was not one. */
export type AskedTurn = ModelAnswer & { readonly asked?: readonly ChatResponse[] }

export type ModelSetting = {
  readonly fan: AbortFan
  readonly clock: Clock
  readonly streaming: boolean
  readonly outbox: Outbox
  /** Milliseconds this turn may take, or `null`. */
  readonly timeoutMs: number | null
  /** What middleware does with the pieces of the turn, streamed or not. */
  readonly hooks: PieceHooks | null
}

/**
 * One model turn, streamed or whole. Never throws: a failure of the client is an answer. Faults of the network, 429 and
 * 5xx are asked again, twice at most, before the first part was streamed. After an abort nobody waits for the client,
 * whether it honours the signal or not.
 */
export function askModel(
  model: ChatClient,
  request: (signal: AbortSignal) => ChatRequest,
  setting: ModelSetting,
): Promise<ModelAnswer> {
  return new Promise((resolve) => {
    askModelThen(model, request, setting, resolve)
  })
}

/** {@link askModel} by callback, called once: two promises less for a turn that goes through middleware. */
export function askModelThen(
  model: ChatClient,
  request: (signal: AbortSignal) => ChatRequest,
  setting: ModelSetting,
  tell: (answer: ModelAnswer) => void,
): void {
  const stopper = new TurnStopper(setting)
  tryTurn({ model, request: request(stopper.abortSignal), stopper, setting, tell }, 0)
}

type Turn = {
  readonly model: ChatClient
  readonly request: ChatRequest
  readonly stopper: TurnStopper
  readonly setting: ModelSetting
  readonly tell: (answer: ModelAnswer) => void
}

/** One try of a turn; goes on to the next where another one is of use. No `async`: this is every turn of every run. */
function tryTurn(turn: Turn, retries: number): void {
  const { model, request, stopper, setting } = turn
  const told = { any: false }
  const end = (answer: ModelAnswer): void => {
    stopper.close()
    turn.tell(answer)
  }
  const again = (error: unknown): void => {
    const answer = stopper.answerTo(error, told.any ? Number.POSITIVE_INFINITY : retries)
    if (answer.kind !== 'again') return end(answer)
    void stopper.wait(answer.afterMs).then(() => {
      const { stopped } = stopper
      if (stopped === null) tryTurn(turn, retries + 1)
      else end(stopped)
    })
  }
  const read = (response: ChatResponse): void => {
    let answer: ModelAnswer
    try {
      answer = { kind: 'answered', response: hooked(readResponse(response), setting) }
    } catch (error) {
      return again(error)
    }
    end(answer)
  }
  try {
    if (setting.streaming) {
      streamTurn(model, request, stopper, { outbox: setting.outbox, hooks: setting.hooks, told }).then(read, again)
    } else stopper.settle(model.generate(request), read, again)
  } catch (error) {
    again(error)
  }
}

/** Tells each update as it comes; waits for the listener now and then, so that a slow one slows the model. */
async function streamTurn(
  model: ChatClient,
  request: ChatRequest,
  stopper: TurnStopper,
  setting: { readonly outbox: Outbox; readonly hooks: PieceHooks | null; readonly told: { any: boolean } },
): Promise<ChatResponse> {
  const { outbox, hooks, told } = setting
  const folder = new UpdateFolder()
  const source = updatesFrom(model, request)
  let finished = false
  try {
    for (;;) {
      const next = await stopper.race(source.next())
      if (next.done === true) break
      told.any = true
      const piece = hooks === null ? next.value : hooks.apply(next.value)
      if (piece === undefined) continue
      folder.add(piece)
      const update = tellOf(piece)
      if (update !== undefined) outbox.push(update)
      if (outbox.isFull) await stopper.race(outbox.whenTaken())
    }
    finished = true
    return folder.response()
  } finally {
    // Not awaited: a client that ignores the abort would hold the run.
    if (!finished) void Promise.resolve(source.return?.()).catch(() => undefined)
  }
}

/** A whole turn through the hooks of its pieces; a streamed one has been through them. */
function hooked(response: ChatResponse, { hooks, streaming }: ModelSetting): ChatResponse {
  if (hooks === null) return response
  return streaming ? response : readResponse(hooks.applyToWhole(response))
}

/** Ends the waiting for one turn: on the run's abort or when the turn's time is over. */
class TurnStopper {
  readonly #setting: ModelSetting
  /** This turn's own signal, where it has a time of its own; else the run's serves. */
  readonly #signal: CallSignal | null
  readonly #timer: AbortController | null
  readonly #stopListening: () => void
  /** Who waits now: a turn waits for one thing at a time. */
  #reject: ((reason: Error) => void) | undefined
  #reason: Error | undefined
  #isLate = false

  constructor(setting: ModelSetting) {
    this.#setting = setting
    const { fan, timeoutMs } = setting
    this.#signal = timeoutMs === null ? null : new CallSignal(fan)
    this.#timer = timeoutMs === null ? null : this.#stopAfter(timeoutMs)
    this.#stopListening = fan.listen((reason) => this.#stop(thrownError(reason)))
  }

  /** What the client is given: fires when this turn is stopped. */
  get abortSignal(): AbortSignal {
    return this.#signal?.signal ?? this.#setting.fan.signal
  }

  /** How the turn was stopped, or `null` while it may go on. */
  get stopped(): Extract<ModelAnswer, { kind: 'aborted' | 'late' }> | null {
    if (this.#setting.fan.aborted) return { kind: 'aborted' }
    return this.#isLate ? { kind: 'late' } : null
  }

  /** What a failure comes to after so many retries: the turn's answer, or another try after some time. */
  answerTo(error: unknown, retries: number): ModelAnswer | { readonly kind: 'again'; readonly afterMs: number } {
    const { stopped } = this
    if (stopped !== null) return stopped
    const afterMs = delayOf(error, retries, this.#setting.clock.now())
    return afterMs === null ? { kind: 'failed', error: thrownText(error) } : { kind: 'again', afterMs }
  }

  async wait(ms: number): Promise<void> {
    await this.race(this.#setting.clock.sleep(ms, this.abortSignal)).catch(() => undefined)
  }

  /** The work's outcome, or a rejection as soon as the turn is stopped. */
  race<T>(work: Promise<T>): Promise<T> {
    if (this.#reason !== undefined) {
      work.catch(() => undefined)
      return Promise.reject(this.#reason)
    }
    return new Promise((resolve, reject) => {
      this.#reject = reject
      work.then(resolve, reject)
    })
  }

  /** {@link race} by callbacks, one of which is called, once. */
  settle<T>(work: Promise<T>, read: (value: T) => void, failed: (reason: unknown) => void): void {
    let isOver = false
    const fail = (reason: unknown): void => {
      if (isOver) return
      isOver = true
      failed(reason)
    }
    this.#reject = fail
    work.then((value) => {
      if (isOver) return
      isOver = true
      read(value)
    }, fail)
    if (this.#reason !== undefined) fail(this.#reason)
  }

  close(): void {
    this.#timer?.abort()
    this.#stopListening()
    this.#signal?.close()
  }

  #stopAfter(ms: number): AbortController {
    const timer = new AbortController()
    this.#setting.clock.sleep(ms, timer.signal).then(
      () => {
        this.#isLate = !this.#setting.fan.aborted
        const reason = new FairleadError('MODEL_ERROR', `The model did not finish its turn within ${ms} ms.`)
        this.#signal?.abort(reason)
        this.#stop(reason)
      },
      () => undefined,
    )
    return timer
  }

  #stop(reason: Error): void {
    this.#reason ??= reason
    this.#reject?.(reason)
  }
}

function updatesFrom(model: ChatClient, request: ChatRequest): AsyncIterator<ChatUpdate> {
  return model.stream === undefined ? wholeTurn(model, request) : model.stream(request)[Symbol.asyncIterator]()
}

async function* wholeTurn(model: ChatClient, request: ChatRequest): AsyncGenerator<ChatUpdate> {
  yield* updatesOf(readResponse(await model.generate(request)))
}

/** What a listener is told of a piece, if anything. */
export function tellOf(update: ChatUpdate): RunUpdate | undefined {
  switch (update.kind) {
    case 'text-delta':
    case 'reasoning-delta':
      // An empty one carries metadata only.
      return update.text === '' ? undefined : { kind: update.kind, text: update.text }
    case 'part':
      return { kind: 'part', part: update.part }
    case 'finish':
      return undefined
    default:
      update satisfies never
      return undefined
  }
}

/** A client may throw what throws when it is looked at: that is asked again no more. */
function delayOf(error: unknown, retries: number, now: number): number | null {
  try {
    return retryDelayMs(error, retries, now)
  } catch {
    return null
  }
}
