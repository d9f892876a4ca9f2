import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Outbox } from '../loop/outbox.ts'
import type { RunUpdate } from '../loop/run-update.ts'
import { isAnsweredLater } from '../loop/stop-reason.ts'
import type { HostAnswer, RunInput, RunOptions } from './agent-options.ts'
import type { Agent } from './agent.ts'
import { splitAnswers } from './hosted-answers.ts'
import { isAnswers } from './read-input.ts'
import { addSpending, derivedLoop, firstLoop, type LoopProgress } from './loop-progress.ts'
import { attempt, judgeAnswer, type LoopVerdict, type OpenVerdict, type Until } from './loop-verdict.ts'
import type { RunResult } from './run-result.ts'
import { runStream, type RunStream } from './run-stream.ts'

/** What makes the next input of a loop from an answer that is not done. */
export type Again = (result: RunResult, verdict: OpenVerdict) => NextInput | PromiseLike<NextInput>

type NextInput = string | Message | readonly Message[]

/** What an outer loop is made of. */
export type LoopAgentOptions = {
  readonly agent: Agent
  /** When to stop: a predicate of yours, or what `judge` makes. */
  readonly until: Until
  /** How many runs at most, the first included. Default 10. */
  readonly maxLoops?: number
  /** Default: the verdict's feedback as a user message, or `Continue.` where there is none. */
  readonly again?: Again
}

/** What a loop came to: the last run's result, `usage` and `costUsd` summed over all runs and all judging. */
export type LoopResult = RunResult & {
  /** Runs of the loop so far, the last one included. */
  readonly loops: number
  /** Of the last answer; `null` when the last run stopped with anything but an answer, which is not judged. */
  readonly verdict: LoopVerdict | null
  /** True when the cap ended the loop before an answer was done. */
  readonly loopsExhausted: boolean
  /** How many verdicts of a judge could not be read. */
  readonly unreadableVerdicts: number
}

/** A loop under way: the updates of all its runs in order, and the outcome. Otherwise a {@link RunStream}. */
export interface LoopStream extends AsyncIterable<RunUpdate> {
  readonly result: Promise<LoopResult>
}

/**
 * Runs an agent over and over in one conversation until an answer is done. Stops also at the cap, at a run that ends
 * with anything but `answered` (waiting for an approval, a limit, an abort: its result is given as it is), and when
 * `until` or `again` throws (the verdict is then `failed` and `error` says why; the last answer is not lost).
 * Options of a run, limits included, hold for each run of the loop. Safe to use for several loops at once.
 */
export class LoopAgent {
  readonly #agent: Agent
  readonly #until: Until
  readonly #again: Again
  readonly #maxLoops: number
  /** Loops whose last run waits for an answer, by the id of that run. */
  readonly #waiting = new Map<string, LoopProgress>()

  /** Throws `INVALID_OPTION` for what it cannot work with. */
  constructor(options: LoopAgentOptions) {
    const { agent, until, maxLoops = 10, again = feedbackOrContinue } = options
    if (typeof agent?.resume !== 'function') throw invalid('agent must be an Agent', agent)
    if (typeof until !== 'function') throw invalid('until must be a function, for example judge({ … })', until)
    if (typeof again !== 'function') throw invalid('again must be a function', again)
    if (!Number.isInteger(maxLoops) || maxLoops < 1) throw invalid('maxLoops must be a whole number from 1', maxLoops)
    this.#agent = agent
    this.#until = until
    this.#again = again
    this.#maxLoops = maxLoops
  }

  /**
   * Runs to the end of the loop. Without a session it makes one, which the store keeps as one somebody named. The
   * host's answers go on with their run and then with the loop where it was; when none of them is accepted the loop
   * does not go on. In another process the loop is where the store says: see {@link resume}. Rejects as `agent.run` does.
   */
  async run(input: RunInput, options: RunOptions = {}): Promise<LoopResult> {
    return this.#take(input, options, (next, own) => this.#agent.run(next, own))
  }

  /** The same loop as a stream of the updates of all its runs. */
  stream(input: RunInput, options: RunOptions = {}): LoopStream {
    return loopStream((outbox) => this.#take(input, options, this.#streamed(outbox)))
  }

  /**
   * Goes on with a stored run, as `agent.resume` does, and then with its loop. A loop begun in another process counts
   * every earlier run of its conversation as its own, so give a loop a conversation to itself.
   */
  resume(runId: string, options: RunOptions = {}): LoopStream {
    return loopStream(async (outbox) => {
      const result = await forward(this.#agent.resume(runId, options), outbox)
      return this.#goOn(result, options, this.#streamed(outbox))
    })
  }

  #streamed(outbox: Outbox): TakeRun {
    return (input, options) => forward(this.#agent.stream(input, options), outbox)
  }

  async #take(input: RunInput, options: RunOptions, takeRun: TakeRun): Promise<LoopResult> {
    if (isAnswers(input)) {
      const result = await takeRun(input, options)
      this.#moveWaiting(input, result)
      // An answer given twice must not begin another run: the first one did.
      if (result.refused.length < input.length) return this.#goOn(result, options, takeRun)
      return resultOf(result, this.#waiting.get(result.runId) ?? (await this.#derived(result)), null)
    }
    const session = options.session ?? (await this.#agent.session())
    const own = { ...options, session }
    return this.#loop(await takeRun(input, own), firstLoop(own), takeRun)
  }

  /** What answers a provider is a run of its own, and the loop's next drive of the same step. */
  #moveWaiting(answers: readonly HostAnswer[], { runId, sessionId }: RunResult): void {
    if (splitAnswers(answers).hosted.length === 0) return
    for (const [asked, known] of this.#waiting) {
      if (asked === runId || known.options.session?.id !== sessionId) continue
      this.#waiting.delete(asked)
      this.#waiting.set(runId, known)
    }
  }

  async #goOn(result: RunResult, options: RunOptions, takeRun: TakeRun): Promise<LoopResult> {
    const known = this.#waiting.get(result.runId) ?? (await this.#derived(result))
    this.#waiting.delete(result.runId)
    const { session } = known.options
    return this.#loop(result, { ...known, options: { ...known.options, ...options, session } }, takeRun)
  }

  async #derived(result: RunResult): Promise<LoopProgress> {
    return derivedLoop(this.#agent.store, result, await this.#agent.session(result.sessionId))
  }

  async #loop(first: RunResult, begun: LoopProgress, takeRun: TakeRun): Promise<LoopResult> {
    let result = first
    let progress = begun
    for (;;) {
      if (result.stopReason !== 'answered') {
        if (isAnsweredLater(result.stopReason)) this.#waiting.set(result.runId, withoutSignal(progress))
        return resultOf(result, progress, null)
      }
      const { loop, options } = progress
      const { verdict, spent } = await judgeAnswer(this.#until, result, stepOf(progress))
      const unreadableVerdicts = progress.unreadableVerdicts + (verdict.kind === 'unreadable' ? 1 : 0)
      progress = { ...progress, spent: addSpending(progress.spent, spent), unreadableVerdicts }
      if (!isOpen(verdict)) return resultOf(result, progress, verdict)
      if (loop >= this.#maxLoops) return { ...resultOf(result, progress, verdict), loopsExhausted: true }
      const answered = result
      const next = await attempt(() => this.#again(answered, verdict), options.signal)
      if (next.kind !== 'done') return resultOf(result, progress, next)
      progress = { ...progress, loop: loop + 1, spent: addSpending(progress.spent, result) }
      result = await takeRun(next.value, options)
    }
  }
}

type TakeRun = (input: RunInput, options: RunOptions) => Promise<RunResult>

/** Hands a run's updates on; a listener that is slow slows this run's model too. */
async function forward(stream: RunStream, outbox: Outbox): Promise<RunResult> {
  if (!outbox.isHeard) return stream.result
  for await (const update of stream) {
    outbox.push(update)
    if (outbox.isFull) await outbox.whenTaken()
  }
  return stream.result
}

function loopStream(start: (outbox: Outbox) => Promise<LoopResult>): LoopStream {
  // A stream's result is what its start resolved with.
  return runStream(start) as LoopStream
}

function stepOf({ loop, options }: LoopProgress): Parameters<Until>[1] {
  const { signal, principal, environment } = options
  return {
    loop,
    ...(signal === undefined ? {} : { signal }),
    ...(principal === undefined ? {} : { principal }),
    ...(environment === undefined ? {} : { environment }),
  }
}

/** Who answers later brings a signal of their own. */
function withoutSignal(progress: LoopProgress): LoopProgress {
  const options: LoopProgress['options'] & { signal?: AbortSignal } = { ...progress.options }
  delete options.signal
  return { ...progress, options }
}

function isOpen(verdict: LoopVerdict): verdict is OpenVerdict {
  return verdict.kind === 'not_done' || verdict.kind === 'unreadable'
}

function resultOf(result: RunResult, progress: LoopProgress, verdict: LoopVerdict | null): LoopResult {
  const { usage, costUsd } = addSpending(progress.spent, result)
  return {
    ...result,
    usage,
    costUsd,
    error: verdict?.kind === 'failed' ? verdict.error : result.error,
    loops: progress.loop,
    verdict,
    loopsExhausted: false,
    unreadableVerdicts: progress.unreadableVerdicts,
  }
}

const feedbackOrContinue: Again = (_, { feedback }) => (feedback.trim() === '' ? 'Continue.' : feedback)

function invalid(expected: string, found: unknown): FairleadError {
  const named = typeof found === 'number' || typeof found === 'string' ? JSON.stringify(found) : typeof found
  return new FairleadError('INVALID_OPTION', `${expected}; found ${named}.`)
}
