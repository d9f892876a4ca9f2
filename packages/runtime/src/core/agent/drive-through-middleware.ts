import { openHostedRequests } from '../content/hosted-approvals.ts'
import type { Message } from '../content/message.ts'
import { textOf } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import { endOpenCalls } from '../loop/end-open-calls.ts'
import { remainingMs, type LoopSetup } from '../loop/loop-setup.ts'
import type { RunPatch } from '../loop/run-patch.ts'
import { runLoop, runLoopAgain } from '../loop/run-loop.ts'
import { keepsRunOpen, type StopReason } from '../loop/stop-reason.ts'
import { stopRun, withStop } from '../loop/stop-run.ts'
import { lastWordsMs } from '../loop/take-turn.ts'
import type { AgentOutcome } from '../middleware/agent-context.ts'
import { RunPassage, withheldAnswer } from '../middleware/run-passage.ts'
import { UpdateHooks } from '../middleware/update-hooks.ts'
import type { ToolChanges } from '../tool/run-tools.ts'
import type { ContextProvider } from './context-provider.ts'
import { thrownText } from '../call/thrown.ts'
import { provideContext, tellProviders } from './provide-context.ts'

/** A drive of a run as it begins: what it adds, whether it was stopped before, who brings context. */
export type DriveStart = {
  readonly added: readonly Message[]
  readonly resumed: boolean
  readonly providers: readonly ContextProvider[]
  readonly changes: ToolChanges | null
}

/** Drives a run to its next stop: providers, then the loop; without any of them the loop alone. */
export async function drive(setup: LoopSetup, start: DriveStart): Promise<StopReason> {
  const { chains } = setup.pipeline.scope
  if (chains.agent.length > 0) return await driveThroughMiddleware(setup, start)
  const reason = await driveOnce(setup, start, start.added)
  if (start.providers.length > 0) await tellProviders(start.providers, setup, outcomeOf(setup, reason, null))
  return reason
}

async function driveOnce(setup: LoopSetup, start: DriveStart, added: readonly Message[]): Promise<StopReason> {
  const { writer } = setup
  if (start.providers.length > 0) {
    const fault = await provideContext(start.providers, setup, { input: added, resumed: start.resumed })
    if (fault === null) return await loopWith(setup, start, added)
    // A call without an answer must not stay behind in a run that has ended.
    const doubt = await endOpenCalls(setup, 'The run was ended before the call could go on.')
    for (const message of added) writer.addMessage(message)
    return await stopRun(setup, doubt ?? fault.reason, { error: fault.error })
  }
  return await loopWith(setup, start, added)
}

/** Tools of an earlier drive come back after those that providers bring anew. */
async function loopWith(setup: LoopSetup, { changes }: DriveStart, added: readonly Message[]): Promise<StopReason> {
  if (changes !== null) setup.pipeline.scope.tools.restore(changes)
  return await runLoop(setup, added)
}

/**
 * The same inside agent middleware, which sees how the run stopped before that is written, may change its last message,
 * and may drive it again. A run that waits for a person is written at once and stays as it is.
 */
async function driveThroughMiddleware(setup: LoopSetup, start: DriveStart): Promise<StopReason> {
  const { pipeline, writer, outbox, ending } = setup
  const { scope, ports } = pipeline
  let reason: StopReason | null = null
  let hookFault: string | null = null
  const hooks = new UpdateHooks(() =>
    outbox.sendThrough((update) => {
      try {
        return hooks.apply(update)
      } catch (error) {
        // What could not be looked at is not told, and the run ends: a hook may be a guard's.
        hookFault ??= `A hook on the stream of the run failed: ${thrownText(error)}`
        scope.terminate('stream')
        return undefined
      }
    }),
  )
  const passage: RunPassage = new RunPassage({
    steps: scope.chains.agent,
    scope,
    clock: ports.clock,
    resumed: start.resumed,
    input: start.added,
    hooks,
    requireDrivable: () => requireStopped(reason, 'it is not driven again before it has its answer'),
    async drive(input) {
      if (reason === null) reason = await driveOnce(setup, start, input)
      else {
        // What a guard, or a piece that asked for the end, has ended stays so.
        if (reason === 'terminated') return outcomeOf(setup, reason, ending.held?.patch.error ?? null)
        const patch = { ...ending.held?.patch, error: null }
        ending.held = null
        await writer.commit({ run: patch })
        reason = await runLoopAgain(setup)
      }
      return outcomeOf(setup, reason, ending.held?.patch.error ?? null)
    },
    replace(message) {
      requireStopped(reason, 'its result cannot be changed')
      writer.replaceLast(message)
      return outcomeOf(setup, reason ?? 'answered', null)
    },
    addMessage(message) {
      requireStopped(reason, 'nothing can be added between its calls and their results')
      writer.addMessage(message)
    },
  })
  await untilOver(passage, setup)
  if (passage.broken !== null) throw passage.broken.error
  const stopped = await closeRun(setup, passage, reason, hookFault)
  for (const error of hooks.end()) scope.logger.warn(`A hook on the end of the stream failed: ${thrownText(error)}`)
  if (start.providers.length > 0)
    await tellProviders(start.providers, setup, outcomeOf(setup, stopped, writer.run.error))
  return stopped
}

function requireStopped(reason: StopReason | null, but: string): void {
  if (reason === null || !keepsRunOpen(reason)) return
  throw new FairleadError('MIDDLEWARE_MISUSE', `The run waits (${reason}): ${but}.`)
}

/**
 * Waits for the middleware; after an abort only for the run itself. It outlasts the deadline of its run by no more than
 * the last words of a run may.
 */
function untilOver(passage: RunPassage, setup: LoopSetup): Promise<void> {
  const { scope, ports } = setup.pipeline
  if (scope.fan.aborted) {
    passage.leave('aborted')
    return Promise.resolve()
  }
  return new Promise((resolve) => {
    let isOver = false
    // Made for runs with a deadline alone: a controller, and the error its abort makes, cost more than the rest.
    let timer: AbortController | null = null
    const end = (left: 'aborted' | 'late' | null): void => {
      if (isOver) return
      isOver = true
      timer?.abort()
      stopListening()
      if (left !== null) passage.leave(left)
      resolve()
    }
    const afterDriving = (then: () => void): void => {
      if (passage.inside === null) then()
      else passage.inside.then(then, then)
    }
    const leaveAfter = (ms: number, isLast: boolean): void => {
      timer ??= new AbortController()
      ports.clock.sleep(ms, timer.signal).then(
        () => {
          if (!passage.driven || (isLast && passage.inside === null)) end('late')
          else afterDriving(() => leaveAfter(lastWordsMs, true))
        },
        () => undefined,
      )
    }
    const stopListening = scope.fan.listen(() => afterDriving(() => end('aborted')))
    const left = remainingMs(setup)
    if (left !== null) leaveAfter(left, false)
    passage.run(() => end(null))
  })
}

/** Writes how the run ended, as the middleware left it. */
async function closeRun(
  setup: LoopSetup,
  passage: RunPassage,
  driven: StopReason | null,
  hookFault: string | null,
): Promise<StopReason> {
  const { writer, ending, pipeline } = setup
  const { fault, answer } = passage
  if (driven !== null && keepsRunOpen(driven)) {
    const failed = fault ?? hookFault
    if (failed !== null) pipeline.scope.logger.warn(failed)
    return driven
  }
  const doubt = driven === null ? await endUndriven(setup, passage) : null
  if (passage.isWithheld) writer.replaceLast(withheldAnswer)
  const patch: RunPatch = { ...ending.held?.patch }
  if (fault !== null || hookFault !== null) patch.error = fault ?? hookFault
  else if (ending.terminatedBy !== null) patch.error ??= `Ended by middleware "${ending.terminatedBy}".`
  else if (passage.left === 'late') patch.error ??= 'Middleware did not end within the time of the run.'
  else if (driven === null && answer === null)
    patch.error = `Middleware "${passage.deepest}" did not let the run through.`
  const reason = doubt ?? reasonFor(setup, passage, driven)
  await writer.commit({ run: withStop(setup, reason, patch) })
  return reason
}

function reasonFor(
  { ending, writer }: LoopSetup,
  { fault, left, answer }: RunPassage,
  driven: StopReason | null,
): StopReason {
  if (fault !== null || ending.terminatedBy !== null) return 'terminated'
  if (left !== null) return left === 'aborted' ? 'aborted' : 'budget_limit'
  const reason = ending.held?.reason ?? driven ?? (answer === null ? 'terminated' : 'answered')
  // An answer in the place of the model's turn leaves no question of the provider's open.
  const isAsked = reason !== 'hosted_approval_required' || openHostedRequests(writer.messages).length > 0
  return isAsked ? reason : 'answered'
}

/** A run that middleware did not let through: its open calls get their answers, then what middleware said in its place. */
async function endUndriven(setup: LoopSetup, { fault, left, answer, input }: RunPassage): Promise<'in_doubt' | null> {
  const doubt = await endOpenCalls(setup, 'The run was ended before the call could go on.')
  // What a guard did not let through is not kept.
  if (fault !== null || doubt !== null || (answer === null && left === null)) return doubt
  for (const message of input) setup.writer.addMessage(message)
  if (answer !== null && left === null) setup.writer.addMessage(answer)
  return null
}

function outcomeOf({ writer }: LoopSetup, stopReason: StopReason, error: string | null): AgentOutcome {
  const messages = writer.messages.slice(writer.run.firstMessage)
  const last = messages.findLast((message) => message.role === 'assistant')
  return { stopReason, text: last === undefined ? '' : textOf(last.parts), messages, error }
}
