import type { Message } from '../content/message.ts'
import { textOf } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { LoopSetup } from '../loop/loop-setup.ts'
import type { RunPatch } from '../loop/run-patch.ts'
import { runLoop, runLoopAgain } from '../loop/run-loop.ts'
import { keepsRunOpen, type StopReason } from '../loop/stop-reason.ts'
import { withStop } from '../loop/stop-run.ts'
import type { AgentOutcome } from '../middleware/agent-context.ts'
import { RunPassage } from '../middleware/run-passage.ts'
import { UpdateHooks } from '../middleware/update-hooks.ts'
import type { ToolChanges } from '../tool/run-tools.ts'
import type { ContextProvider } from './context-provider.ts'
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
  const { writer, ending } = setup
  if (start.providers.length > 0) {
    const fault = await provideContext(start.providers, setup, { input: added, resumed: start.resumed })
    for (const message of added) writer.addMessage(message)
    if (fault === null) return await loopWith(setup, start)
    const patch = { error: fault }
    if (ending.isHeld) ending.held = { reason: 'terminated', patch }
    else await writer.commit({ run: withStop(setup, 'terminated', patch) })
    return 'terminated'
  }
  for (const message of added) writer.addMessage(message)
  return await loopWith(setup, start)
}

/** Tools of an earlier drive come back after those that providers bring anew. */
async function loopWith(setup: LoopSetup, { changes }: DriveStart): Promise<StopReason> {
  if (changes !== null) setup.pipeline.scope.tools.restore(changes)
  return await runLoop(setup)
}

/**
 * The same inside agent middleware, which sees how the run stopped before that is written, may change its last message,
 * and may drive it again. A run that waits for a person is written at once and stays as it is.
 */
async function driveThroughMiddleware(setup: LoopSetup, start: DriveStart): Promise<StopReason> {
  const { pipeline, writer, outbox, ending } = setup
  const { scope, ports } = pipeline
  let reason: StopReason | null = null
  const hooks = new UpdateHooks(() =>
    outbox.sendThrough((update) => {
      try {
        return hooks.apply(update)
      } catch {
        // What could not be looked at is not told, and the run ends: a hook may be a guard's.
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
    async drive(input) {
      if (reason === null) reason = await driveOnce(setup, start, input)
      else {
        if (keepsRunOpen(reason))
          throw new FairleadError(
            'MIDDLEWARE_MISUSE',
            `The run waits (${reason}): it is not driven again before it has its answer.`,
          )
        const patch = ending.held?.patch ?? {}
        ending.held = null
        await writer.commit({ run: patch })
        reason = await runLoopAgain(setup)
      }
      return outcomeOf(setup, reason, ending.held?.patch.error ?? null)
    },
    replace(message) {
      if (reason !== null && keepsRunOpen(reason)) {
        throw new FairleadError('MIDDLEWARE_MISUSE', `The run waits (${reason}): its result cannot be changed.`)
      }
      writer.replaceLast(message)
      return outcomeOf(setup, reason ?? 'answered', null)
    },
    addMessage: (message) => writer.addMessage(message),
  })
  await untilAborted(passage, setup)
  if (passage.broken !== null) throw passage.broken.error
  const stopped = await closeRun(setup, passage, reason)
  endHooks(hooks, setup)
  if (start.providers.length > 0)
    await tellProviders(start.providers, setup, outcomeOf(setup, stopped, writer.run.error))
  return stopped
}

/** The run has its end already: a hook that fails now changes nothing. */
function endHooks(hooks: UpdateHooks, { pipeline }: LoopSetup): void {
  try {
    hooks.end()
  } catch (error) {
    const what = error instanceof Error ? error.message : 'something that is not an error'
    pipeline.scope.logger.warn(`A hook of stream.onEnd failed: ${what}`)
  }
}

/** Waits for the middleware; after an abort only for the run itself. */
function untilAborted(passage: RunPassage, setup: LoopSetup): Promise<void> {
  return new Promise((resolve) => {
    const leave = (): void => {
      if (passage.inside === null) resolve()
      else passage.inside.then(leave, leave)
    }
    const stopListening = setup.pipeline.scope.fan.listen(leave)
    passage.run().then(() => {
      stopListening()
      resolve()
    }, resolve)
  })
}

/** Writes how the run ended, as the middleware left it. */
async function closeRun(setup: LoopSetup, passage: RunPassage, driven: StopReason | null): Promise<StopReason> {
  const { writer, ending, pipeline } = setup
  if (driven !== null && keepsRunOpen(driven)) {
    if (passage.fault !== null) pipeline.scope.logger.warn(passage.fault)
    return driven
  }
  if (driven === null && passage.answer !== null && passage.fault === null) {
    for (const message of passage.input) writer.addMessage(message)
    writer.addMessage(passage.answer)
  }
  const isEnded = passage.fault !== null || ending.terminatedBy !== null
  const undriven = pipeline.scope.fan.aborted ? 'aborted' : passage.answer === null ? 'terminated' : 'answered'
  const reason = isEnded ? 'terminated' : (ending.held?.reason ?? driven ?? undriven)
  const patch: RunPatch = { ...ending.held?.patch }
  if (passage.fault !== null) patch.error = passage.fault
  else if (ending.terminatedBy !== null) patch.error ??= `Ended by middleware "${ending.terminatedBy}".`
  else if (driven === null && reason === 'terminated') patch.error = 'Middleware did not let the run through.'
  await writer.commit({ run: withStop(setup, reason, patch) })
  return reason
}

function outcomeOf({ writer }: LoopSetup, stopReason: StopReason, error: string | null): AgentOutcome {
  const messages = writer.messages.slice(writer.run.firstMessage)
  const last = messages.findLast((message) => message.role === 'assistant')
  return { stopReason, text: last === undefined ? '' : textOf(last.parts), messages, error }
}
