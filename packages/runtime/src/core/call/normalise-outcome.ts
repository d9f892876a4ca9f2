import type { Json } from '../json/json.ts'
import { ToolError } from '../tool/tool-error.ts'
import { codeFrom, sentenceFor } from './error-code.ts'
import type { ExecutionOutcome } from './execution-outcome.ts'
import type { LiveCall } from './live-call.ts'
import { normaliseResult, rawResult, type NormalisedResult } from './normalise-result.ts'
import type { AttemptOutcome } from './run-attempt.ts'
import { isThenable, whenReady } from './maybe-promise.ts'
import { safeErrorText } from './safe-error-text.ts'
import type { StagePorts } from './stage-ports.ts'
import { NotJsonError, toJson } from './to-json.ts'

/** Judges how an attempt ended, by the contract's class and output schema. */
export function normaliseOutcome(
  call: LiveCall,
  ended: AttemptOutcome,
  ports: Pick<StagePorts, 'includeDetailedErrors'>,
): ExecutionOutcome | Promise<ExecutionOutcome> {
  switch (ended.kind) {
    case 'returned':
      return judgeReturn(call, ended.value)
    case 'threw':
      return judgeThrow(call, ended.error, ports.includeDetailedErrors)
    case 'timed-out':
      return mayRepeat(call)
        ? failure('TimedOut', 'TIMEOUT', `The tool did not finish within ${ended.afterMs} ms.`, true)
        : inDoubt(`No answer within ${ended.afterMs} ms; the effect may have happened.`)
    case 'aborted':
      return mayRepeat(call) || !ended.started
        ? failure('Cancelled', 'CANCELLED', 'The run was aborted.', false)
        : inDoubt('The run was aborted while the call was under way; the effect may have happened.')
    default:
      return ended satisfies never
  }
}

/** True when another attempt does no harm, so that nothing is left in doubt by an attempt whose end nobody saw. */
function mayRepeat(call: LiveCall): boolean {
  return call.record.class === 'readOnly' || call.record.class === 'idempotencyKey'
}

function judgeReturn(call: LiveCall, value: unknown): ExecutionOutcome | Promise<ExecutionOutcome> {
  let result: NormalisedResult
  try {
    result = resultFrom(call, value)
  } catch (error) {
    // Only our own words: the tool's getters and `toJSON` may throw anything.
    return unfitResult(call, error instanceof NotJsonError ? error.message : 'The result has no JSON form.', null)
  }
  const { envelope } = result
  if (envelope.status === 'error') {
    return {
      state: 'Failed',
      status: 'error',
      data: envelope.data,
      summary: envelope.summary,
      errorCode: envelope.errorCode ?? 'INTERNAL',
      retryable: envelope.retryable,
      items: result.items,
    }
  }
  const good: ExecutionOutcome = {
    state: 'Succeeded',
    status: 'success',
    data: envelope.data,
    summary: envelope.summary,
    errorCode: null,
    retryable: false,
    items: result.items,
  }
  const output = call.tool?.output ?? null
  if (output === null) return good
  return whenReady(output.check(structuredClone(envelope.data) as Json), (verdict) => {
    if (verdict.kind === 'valid') return good
    const paths = verdict.issues
      .map((issue) => `${issue.path === '' ? 'result' : issue.path} ${issue.message}`)
      .join('; ')
    return unfitResult(call, `The result does not fit the output schema: ${paths}.`, envelope.data)
  })
}

/** The tool's own way to say its result goes first; if it throws, the value is taken as any other. */
function resultFrom(call: LiveCall, value: unknown): NormalisedResult {
  const { raw = false, toResult = null } = call.tool?.behaviour ?? {}
  if (raw) return rawResult(value)
  if (toResult === null) return normaliseResult(value)
  try {
    const made = toResult(value)
    if (isThenable(made)) {
      // It must answer at once; what it promises is not waited for and must not go unheard either.
      Promise.resolve(made).catch(() => undefined)
      return normaliseResult(value)
    }
    const shown = normaliseResult(made)
    return { envelope: { ...shown.envelope, data: toJson(value) }, items: shown.items }
  } catch {
    return normaliseResult(value)
  }
}

/** The outcome of an execution whose result could not be checked: the check threw, or the run ended first. */
export function uncheckedOutcome(call: LiveCall): ExecutionOutcome {
  return unfitResult(call, 'The result could not be checked.', null)
}

/** A result nobody can use: a read has failed by it, a write has happened all the same. */
function unfitResult(call: LiveCall, particulars: string, data: Json): ExecutionOutcome {
  if (call.record.effects === 'read') return { ...failure('Failed', 'INVALID_OUTPUT', particulars, false), data }
  const text = `The call was carried out, but its result cannot be shown. ${particulars}`
  return {
    state: 'Succeeded',
    status: 'success',
    data,
    summary: text,
    errorCode: null,
    retryable: false,
    items: [{ kind: 'text', text }],
  }
}

function judgeThrow(call: LiveCall, error: unknown, detailed: boolean): ExecutionOutcome {
  try {
    if (error instanceof ToolError) {
      const code = codeFrom(error.code)
      // The tool says itself that nobody knows: as when its process had died.
      if (code === 'IN_DOUBT' && !mayRepeat(call)) {
        return { ...inDoubt(String(error.message)), data: toJson(error.detail) }
      }
      return { ...failure('Failed', code, String(error.message), error.retryable === true), data: toJson(error.detail) }
    }
    const summary = detailed ? safeErrorText(error) : sentenceFor('INTERNAL')
    return { ...failure('Failed', 'INTERNAL', summary, false), data: { error: hostView(error) } }
  } catch {
    // Even looking at what was thrown may throw.
    return failure('Failed', 'INTERNAL', sentenceFor('INTERNAL'), false)
  }
}

function hostView(error: unknown): Json {
  return error instanceof Error ? { name: String(error.name), message: String(error.message) } : { name: typeof error }
}

function inDoubt(particulars: string): ExecutionOutcome {
  return failure('Unknown', 'IN_DOUBT', particulars, false)
}

function failure(
  state: ExecutionOutcome['state'],
  errorCode: string,
  summary: string,
  retryable: boolean,
): ExecutionOutcome {
  return { state, status: 'error', data: null, summary, errorCode, retryable, items: [] }
}
