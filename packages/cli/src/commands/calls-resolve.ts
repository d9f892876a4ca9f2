import {
  FairleadError,
  isWorkerGone,
  randomIds,
  resolveCall,
  sha256,
  type CallId,
  type Resolution,
  type ResolveVerdict,
  type RunRecord,
  type Store,
} from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import type { ModelChoice } from '../config/model-choice.ts'
import { CommandFailure, exitCode, requestFailure, usageFailure, type ExitCode } from '../exit.ts'
import { jsonOption } from '../json-option.ts'
import { notInStore } from '../not-in-store.ts'
import { settledState } from '../output/call-line.ts'
import { runJson } from '../output/run-json.ts'
import type { AssembledAgent } from '../run/assemble-agent.ts'
import { configWords, isForeign } from '../run/config-words.ts'
import { findCall, type FoundCall } from '../run/find-call.ts'
import { goOn } from '../run/go-on.ts'
import { goOnElsewhere } from '../run/go-on-elsewhere.ts'
import { reassembleAgent, reassembleBeforeRecording } from '../run/reassemble-agent.ts'
import { rootRun } from '../run/root-run.ts'
import { recordedRunView } from '../run/run-view.ts'
import { openExistingStore } from '../store-location.ts'

/** What a person found out about a call in doubt, as it was typed. */
export type TypedFinding = {
  readonly done?: boolean | undefined
  readonly notDone?: boolean | undefined
  readonly retry?: boolean | undefined
  readonly result?: string | undefined
  readonly by?: string | undefined
  readonly reason?: string | undefined
}

const exactlyOne =
  'Say what you found: exactly one of --done (it took effect), --not-done (it did not), --retry (carry it out once more).'

function resolutionFrom(typed: TypedFinding, context: CommandContext): Resolution {
  const { done = false, notDone = false, retry = false, result, by, reason } = typed
  if ([done, notDone, retry].filter((chosen) => chosen).length !== 1) throw usageFailure(exactlyOne)
  if (by?.trim() === '') throw usageFailure('--by expects a name.')
  if (reason?.trim() === '') throw usageFailure('--reason expects a text.')
  if (result !== undefined && !done) throw usageFailure('--result goes with --done; the others have none.')
  const who = { by: by ?? context.principal.id, ...(reason === undefined ? {} : { reason }) }
  if (notDone) return { kind: 'notDone', ...who }
  if (retry) return { kind: 'retry', ...who }
  return {
    kind: 'done',
    ...who,
    ...(result === undefined ? {} : { result: jsonOption('--result', result, '{"moved": true}') }),
  }
}

/** Why a call cannot be resolved that is not in doubt, and what to do instead. */
function notInDoubt({ call, run }: FoundCall, root: RunRecord, context: CommandContext): CommandFailure {
  const { clock } = context.host
  const { lease } = run
  const isLost =
    call.state === 'Executing' && (lease === null || lease.until <= clock.now() || isWorkerGone(lease.worker))
  const advice = isLost
    ? ` Its process ended; its run finds out whether it is in doubt: ${context.commandFor(['resume', root.id, ...configWords(isForeign(root), context)])}`
    : ''
  const state = call.state === 'Observed' ? settledState(call) : call.state
  return requestFailure(`Call ${call.id} is not in doubt: it is ${state}. Nothing was recorded.${advice}`)
}

/** Reassembles the agent; where that fails, a finding that needs no tool is recorded all the same. */
async function agentFor(
  root: RunRecord,
  resolution: Resolution,
  { choice, context }: { readonly choice: ModelChoice; readonly context: CommandContext },
): Promise<AssembledAgent | CommandFailure> {
  if (resolution.kind === 'retry') return reassembleBeforeRecording(root, choice, context)
  try {
    return await reassembleAgent(root, choice, context)
  } catch (error) {
    if (error instanceof CommandFailure) return error
    throw error
  }
}

function requireResolved(verdict: ResolveVerdict): void {
  switch (verdict.kind) {
    case 'resolved':
      return
    case 'unknown':
      throw requestFailure(`Call ${verdict.id} is gone from the store.`)
    case 'refused':
      throw requestFailure(`Call ${verdict.call.id}: ${verdict.because}. Nothing was recorded.`)
    default:
      verdict satisfies never
  }
}

/** Tells a finding that was recorded while its run does not go on here. */
async function tellRecorded(
  root: RunRecord,
  howToGoOn: string,
  { store, context }: { readonly store: Store; readonly context: CommandContext },
): Promise<ExitCode> {
  const { output, host } = context
  const told = `The finding is recorded. ${howToGoOn}`
  output.result(told)
  if (output.json) output.note(told)
  const now = await store.journal.run(root.id)
  output.document(runJson(await recordedRunView(now ?? root, store, host.clock)))
  return exitCode.ok
}

/**
 * `fairlead calls resolve ID`: records what became of a call in doubt, once, and goes on with its run in this process.
 * Without a configuration that can be used, what needs no tool is recorded and said how to go on.
 */
export async function callsResolveCommand(
  id: string,
  typed: TypedFinding & ModelChoice,
  context: CommandContext,
): Promise<ExitCode> {
  const resolution = resolutionFrom(typed, context)
  await using opened = await openExistingStore(context.store)
  const found = opened === undefined ? undefined : await findCall(id, opened.store)
  if (opened === undefined || found === undefined) {
    const advice = ` See: ${context.commandFor(['calls', 'list'])}`
    throw notInStore(`call ${id}`, context.store, opened, advice)
  }
  const { store } = opened
  const { call, run } = found
  const { root } = await rootRun(run, store)
  if (call.state !== 'Unknown') throw notInDoubt(found, root, context)
  const assembled = await agentFor(root, resolution, { choice: typed, context })
  const where = { store, context }
  if (assembled instanceof CommandFailure) {
    const ports = { clock: context.host.clock, hash: sha256, ids: randomIds() }
    requireResolved(await resolveCall(store, call.id, resolution, ports))
    if (root.status === 'ended')
      return await tellRecorded(root, `Run ${root.id} has ended; its conversation has a note.`, where)
    const resume = context.commandFor(['resume', root.id, '--config', 'FILE'])
    return await tellRecorded(root, `The run did not go on: ${assembled.message} Go on with: ${resume}`, where)
  }
  requireResolved(await assembled.agent.with({ store }).resolveCall(call.id, resolution))
  if (root.status === 'ended')
    return await tellRecorded(root, `Run ${root.id} has ended; its conversation has a note.`, where)
  return await goOnWith(root, { callId: call.id, resolution, assembled }, where)
}

async function goOnWith(
  root: RunRecord,
  settled: { readonly callId: CallId; readonly resolution: Resolution; readonly assembled: AssembledAgent },
  { store, context }: { readonly store: Store; readonly context: CommandContext },
): Promise<ExitCode> {
  const { callId, resolution, assembled } = settled
  try {
    // Of a call that did not take effect nobody expects a result.
    const callMustSucceed = resolution.kind === 'notDone' ? null : callId
    return await goOn(root, context, { store, assembled, mayAsk: false, callMustSucceed })
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error
    if (error.code === 'RUN_BUSY') return goOnElsewhere({ what: 'finding', runId: root.id }, store, context)
    const resume = context.commandFor(['resume', root.id, ...configWords(isForeign(root), context)])
    const told = `The finding is recorded, but the run did not go on: ${error.message} Go on with: ${resume}`
    throw new CommandFailure(exitCode.failed, told, { cause: error })
  }
}
