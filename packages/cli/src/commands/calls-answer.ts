import {
  canonicalJson,
  FairleadError,
  type CallRecord,
  type FunctionResultPart,
  type Json,
  type Store,
} from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import type { ModelChoice } from '../config/model-choice.ts'
import { requestFailure, usageFailure, type CommandFailure, type ExitCode } from '../exit.ts'
import { jsonOption } from '../json-option.ts'
import { notInStore } from '../not-in-store.ts'
import { settledState } from '../output/call-line.ts'
import { rfc3339 } from '../output/rfc3339.ts'
import { configWords, isForeign } from '../run/config-words.ts'
import { findCall, type FoundCall } from '../run/find-call.ts'
import { goOn } from '../run/go-on.ts'
import { goOnElsewhere } from '../run/go-on-elsewhere.ts'
import { reassembleBeforeRecording } from '../run/reassemble-agent.ts'
import { resumeHint } from '../run/resume-hint.ts'
import { rootRun } from '../run/root-run.ts'
import { openExistingStore } from '../store-location.ts'

/** The answer as it was typed: a result, or a code with a message. */
export type TypedAnswer = {
  readonly result?: string | undefined
  readonly error?: string | undefined
  readonly message?: string | undefined
}

type Answer =
  | { readonly kind: 'result'; readonly value: Json }
  | { readonly kind: 'failure'; readonly errorCode: string; readonly message: string }

function parseAnswer({ result, error, message }: TypedAnswer): Answer {
  if ((result === undefined) === (error === undefined)) {
    throw usageFailure('Give the answer: either --result JSON, or --error CODE with --message TEXT.')
  }
  if (result !== undefined) {
    if (message !== undefined) throw usageFailure('--message goes with --error; a --result has none.')
    return { kind: 'result', value: jsonOption('--result', result, '{"found": 3}') }
  }
  if (error === undefined || !/^[A-Z][A-Z0-9_]*$/.test(error)) {
    throw usageFailure('--error expects a code in upper case, for example UNAVAILABLE or NOT_FOUND.')
  }
  if (message === undefined || message.trim() === '') {
    throw usageFailure('--error needs --message TEXT; the model is told it.')
  }
  return { kind: 'failure', errorCode: error, message: message.trim() }
}

function partOf(call: CallRecord, answer: Answer): FunctionResultPart {
  const part = { kind: 'function_result', callId: call.providerCallId, name: call.tool, call: call.id } as const
  if (answer.kind === 'failure') {
    const { errorCode, message } = answer
    return { ...part, status: 'error', errorCode, content: [{ kind: 'text', text: message }] }
  }
  const { value } = answer
  const item =
    typeof value === 'string' ? ({ kind: 'text', text: value } as const) : ({ kind: 'data', data: value } as const)
  return { ...part, status: 'success', content: [item] }
}

async function notWaiting({ run, call }: FoundCall, store: Store, context: CommandContext): Promise<CommandFailure> {
  if (call.state === 'Unknown') {
    const { root } = await rootRun(run, store)
    const config = configWords(isForeign(root), context)
    const resolve = context.commandFor(['calls', 'resolve', call.id, '--done', ...config])
    return requestFailure(`Call ${call.id} is in doubt. Say what became of it: ${resolve} (or --not-done, or --retry).`)
  }
  if (call.state !== 'Observed') {
    return requestFailure(`Call ${call.id} does not wait for a result from you: its state is ${call.state}.`)
  }
  const at = call.transitions.at(-1)?.at ?? null
  const when = at === null ? '' : ` at ${rfc3339(at)}`
  const hint = await resumeHint({ runId: run.id, at }, store, context)
  return requestFailure(`Call ${call.id} is settled already: ${settledState(call)}${when}.${hint}`)
}

/** True when what the store holds of the call is this answer, whoever wrote it. */
async function isRecorded(id: string, answer: Answer, store: Store): Promise<boolean> {
  const result = (await findCall(id, store))?.call.result ?? null
  if (result === null) return false
  const kept = result.evidenceUri === null ? undefined : await store.evidence.get(result.evidenceUri)
  const [code, value] = answer.kind === 'result' ? [null, answer.value] : [answer.errorCode, answer.message]
  return result.errorCode === code && canonicalJson(kept?.value ?? null) === canonicalJson(value)
}

/**
 * `fairlead calls answer`: gives a call of a declaration-only tool its result and goes on with its run in this
 * process. A call that is unknown or settled fails and changes nothing.
 */
export async function callsAnswerCommand(
  id: string,
  typed: TypedAnswer & ModelChoice,
  context: CommandContext,
): Promise<ExitCode> {
  const answer = parseAnswer(typed)
  await using opened = await openExistingStore(context.store)
  const found = opened === undefined ? undefined : await findCall(id, opened.store)
  if (opened === undefined || found === undefined) {
    throw notInStore(`call ${id}`, context.store, opened)
  }
  const { store } = opened
  const { run, call } = found
  if (call.state !== 'AwaitingClient') throw await notWaiting(found, store, context)
  const { root } = await rootRun(run, store)
  const assembled = await reassembleBeforeRecording(root, typed, context)
  try {
    return await goOn(root, context, {
      store,
      assembled,
      mayAsk: false,
      start: (agent, signal) => agent.stream([partOf(call, answer)], { signal }),
      callMustSucceed: answer.kind === 'result' ? call.id : null,
    })
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'RUN_BUSY') throw error
    if (await isRecorded(id, answer, store))
      return await goOnElsewhere({ what: 'answer', runId: root.id }, store, context)
    throw requestFailure(
      `Call ${id} was settled by somebody else at the same time. Its run goes on in another process.`,
      error,
    )
  }
}
