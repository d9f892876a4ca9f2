import type { RunScope } from '../call/run-scope.ts'
import { thrownText } from '../call/thrown.ts'
import { requireMessages } from '../content/conversation-json.ts'
import { requireNoConsent } from '../content/require-no-consent.ts'
import { userMessage, type Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { AgentContext, AgentOutcome, RunUpdates } from './agent-context.ts'
import { GuardFailure } from './guard-failure.ts'
import type { AgentMiddlewareStep } from './middleware-step.ts'
import { runStep, type Chain, type Done, type StepEnd } from './run-step.ts'
import { ScopeContext } from './scope-context.ts'
import type { UpdateHooks } from './update-hooks.ts'

export type RunPassageSetting = {
  readonly steps: readonly AgentMiddlewareStep[]
  readonly scope: RunScope
  readonly clock: Clock
  readonly resumed: boolean
  readonly input: readonly Message[]
  readonly hooks: UpdateHooks
  /** Drives the run to its next stop; the first time with its input. Rejects only when the store fails. */
  readonly drive: (input: readonly Message[]) => Promise<AgentOutcome>
  /** Throws when the run waits: it is not driven before it has its answer. */
  readonly requireDrivable: () => void
  /** Puts a message in the place of the run's last one. Throws when the run waits for a person. */
  readonly replace: (message: Message) => AgentOutcome
  readonly addMessage: (message: Message) => void
}

/** One drive of a run on its way through agent middleware. */
export class RunPassage implements Chain<DriveContext> {
  readonly setting: RunPassageSetting
  input: readonly Message[]
  result: AgentOutcome | undefined
  /** What was set in the place of a run that was not driven. */
  answer: Message | null = null
  driven = false
  /** The innermost piece that was reached: the one that did not go on, where none did. */
  deepest = ''
  /** True while the run itself is driven: whoever waits then waits for that. */
  inside: Promise<void> | null = null
  /** Why the run may not end well: a piece that failed, or a guard that did not let it through. For the host. */
  fault: string | null = null
  /** A guard has not let the answer of the run through. */
  isWithheld = false
  /** Why nobody waits for the chain any more, or `null`: it ended by itself. */
  left: 'aborted' | 'late' | null = null
  /** The store failed: nothing can be said of the run. */
  broken: { readonly error: unknown } | null = null

  constructor(setting: RunPassageSetting) {
    this.setting = setting
    this.input = setting.input
  }

  /** Runs the chain; tells once when it is through, however it ended. */
  run(through: () => void): void {
    this.#run(0, through)
  }

  /** From now on nobody waits for the chain: what a guard has not seen to its end is not shown, and nothing is driven. */
  leave(why: 'aborted' | 'late'): void {
    this.left = why
    if (this.driven && this.setting.steps.some((step) => step.guard)) this.isWithheld = true
  }

  #run(index: number, done: Done): void {
    const step = this.setting.steps[index]
    if (step === undefined) {
      this.#drive().then(() => done(null), done)
      return
    }
    this.deepest = step.name
    runStep<DriveContext>(this, { index, step, context: new DriveContext(this, step, index) }, done)
  }

  get timers(): Set<AbortController> {
    return this.setting.scope.timers
  }

  get clock(): Clock {
    return this.setting.clock
  }

  goOn(index: number, done: Done): void {
    this.#run(index + 1, done)
  }

  async #drive(): Promise<void> {
    if (this.isOver) throw runIsEnded()
    this.setting.requireDrivable()
    this.inside = (async () => {
      try {
        const input = this.driven ? [] : this.input
        this.driven = true
        this.result = await this.setting.drive(input)
      } catch (error) {
        this.broken ??= { error }
        throw error
      } finally {
        this.inside = null
      }
    })()
    await this.inside
  }

  judge(index: number, end: StepEnd): Error | null {
    const step = this.setting.steps[index]
    if (step === undefined) return null
    if (this.isOver) return runIsEnded()
    if (end.kind === 'failed') {
      const isGuard = step.guard || end.error instanceof GuardFailure
      if (isGuard && this.driven) this.isWithheld = true
      return this.#fail(`${isGuard ? 'Guard' : 'Middleware'} "${step.name}" failed: ${thrownText(end.error)}`)
    }
    const isSilent = step.guard && !end.wentOn && this.result === undefined && this.answer === null
    return isSilent ? this.#fail(`Guard "${step.name}" did not let the run through.`) : null
  }

  #fail(fault: string): Error {
    this.fault = fault
    return new FairleadError('CALL_STOPPED', fault)
  }

  /** A piece failed, nobody waits any more, or the store is broken: what middleware still says changes nothing. */
  get isOver(): boolean {
    return this.fault !== null || this.left !== null || this.broken !== null
  }

  setResult(value: string | Message | AgentOutcome | undefined): void {
    if (this.isOver) return
    if (value === undefined || (typeof value === 'object' && 'stopReason' in value && value === this.result)) return
    const message = answerFrom(value)
    if (this.driven) this.result = this.setting.replace(message)
    else this.answer = message
  }
}

/** Said in the place of an answer that a guard has not let through. */
export const withheldAnswer: Message = {
  role: 'assistant',
  parts: [{ kind: 'text', text: 'The answer is withheld.' }],
}

function runIsEnded(): FairleadError {
  return new FairleadError('CALL_STOPPED', 'The run is being ended.')
}

/** A text or a message, as the user's. */
export function userMessageFrom(message: string | Message): Message {
  if (typeof message === 'string') return userMessage(message)
  if (message.role === 'user' || message.role === 'system') {
    requireMessages([message])
    requireNoConsent(message)
    return message
  }
  throw new FairleadError(
    'INVALID_MESSAGE',
    `A message brought into a run is the user's; found role "${message.role}".`,
  )
}

function answerFrom(value: string | Message | AgentOutcome): Message {
  if (typeof value === 'string') return { role: 'assistant', parts: [{ kind: 'text', text: value }] }
  if ('stopReason' in value) return { role: 'assistant', parts: [{ kind: 'text', text: value.text }] }
  if (value.role !== 'assistant') {
    throw new FairleadError('INVALID_MESSAGE', `An answer is the assistant's message; found role "${value.role}".`)
  }
  requireMessages([value])
  if (value.parts.some((part) => part.kind === 'function_call' || part.kind === 'hosted_approval_request')) {
    throw new FairleadError(
      'INVALID_MESSAGE',
      'An answer set by middleware cannot call tools, nor ask for a provider: both come from the model.',
    )
  }
  requireNoConsent(value)
  return value
}

/** What one piece sees of a passage. */
class DriveContext extends ScopeContext implements AgentContext {
  readonly kind = 'agent'
  readonly #passage: RunPassage
  readonly #step: AgentMiddlewareStep
  readonly #index: number
  #stream: RunUpdates | undefined
  wentOn = false

  constructor(passage: RunPassage, step: AgentMiddlewareStep, index: number) {
    super(passage.setting.scope)
    this.#passage = passage
    this.#step = step
    this.#index = index
  }

  get resumed(): boolean {
    return this.#passage.setting.resumed
  }

  get input(): readonly Message[] {
    return this.#passage.input
  }

  set input(messages: readonly Message[]) {
    if (this.#passage.driven) throw this.#late('changed the input')
    const { input } = this.#passage.setting
    this.#passage.input = messages.map((message) => (input.includes(message) ? message : userMessageFrom(message)))
  }

  get result(): AgentOutcome | undefined {
    return this.#passage.result
  }

  set result(value: string | Message | AgentOutcome | undefined) {
    this.#passage.setResult(value)
  }

  get stream(): RunUpdates {
    this.#stream ??= this.#passage.setting.hooks.of(this.#index, (what) => {
      if (this.wentOn) throw this.#late(`called ${what}`)
    })
    return this.#stream
  }

  addMessage(message: string | Message): void {
    const given = userMessageFrom(message)
    if (this.#passage.isOver) return
    if (this.#passage.driven) this.#passage.setting.addMessage(given)
    else this.#passage.input = [...this.#passage.input, given]
  }

  terminate(result?: string | Message): void {
    if (this.#passage.isOver) return
    this.#passage.setting.scope.terminate(this.#step.name)
    if (result !== undefined) this.#passage.setResult(result)
  }

  #late(what: string): FairleadError {
    return new FairleadError('MIDDLEWARE_MISUSE', `Middleware "${this.#step.name}" ${what} after next: do it before.`)
  }
}
