import type { FunctionResultPart, TextPart } from '../content/content-part.ts'
import { isJsonObject } from '../json/json.ts'
import type { Labels, ResultItem } from '../ports/labels.ts'
import type { SchemaIssue } from '../schema/schema-issue.ts'
import { evidenceUriOf } from './call-id.ts'
import type { Transition } from './call-record.ts'
import type { Envelope } from './envelope.ts'
import { isResultItem } from './normalise-result.ts'
import { sentenceFor, type ErrorCode } from './error-code.ts'
import type { LiveCall } from './live-call.ts'
import { isThenable } from './maybe-promise.ts'
import type { ExecutionOutcome } from './execution-outcome.ts'
import { directObservation, observationBudget, sizeOf } from './observe.ts'
import { deepFreeze } from '../json/deep-freeze.ts'
import type { StagePorts } from './stage-ports.ts'
import type { RunScope } from './run-scope.ts'
import { withinRun } from './within-run.ts'
import { summarise } from './summarise.ts'

/** Why a call gets its answer. */
export type Outcome =
  | { readonly kind: 'executed'; readonly outcome: ExecutionOutcome; readonly latencyMs: number }
  /** Executed, recorded as such, and then through middleware: `by` names who changed the result last. */
  | {
      readonly kind: 'passed'
      readonly outcome: Omit<ExecutionOutcome, 'state'>
      readonly latencyMs: number
      readonly by: string | null
    }
  | { readonly kind: 'withheld' }
  | { readonly kind: 'refused'; readonly errorCode: ErrorCode; readonly because: string }
  | { readonly kind: 'unknown-tool'; readonly known: readonly string[] }
  | { readonly kind: 'invalid-arguments'; readonly issues: readonly SchemaIssue[] }
  | { readonly kind: 'deny'; readonly reason: string | null }
  | { readonly kind: 'error' }
  | { readonly kind: 'denied'; readonly reason: string | null }
  | { readonly kind: 'expired' }
  | { readonly kind: 'cancelled'; readonly because: string }
  | { readonly kind: 'unrecorded' }
  | { readonly kind: 'over-budget'; readonly because: string }
  | { readonly kind: 'in-doubt'; readonly because: string }

/** What answering needs: the ports, and the run it may not outlast. */
export type AnswerSetting = {
  readonly ports: Pick<StagePorts, 'clock' | 'observation' | 'labels'>
  readonly scope: Pick<RunScope, 'fan' | 'remainingMs'>
}

type AnswerPorts = AnswerSetting['ports']

/**
 * Normalise and observe: gives a settled call its one result, the model's view beside the host's. The call ends
 * Observed, or stays Unknown. If the mapping to the model's view fails, the result is withheld, never shown raw.
 */
export function answerCall(call: LiveCall, outcome: Outcome, setting: AnswerSetting): void | Promise<void> {
  const { ports, scope } = setting
  const described = describe(call, outcome)
  const { envelope } = described
  if (outcome.kind === 'executed') recordExecution(call, outcome.outcome, outcome.latencyMs, ports)
  const by = outcome.kind === 'passed' ? outcome.by : null
  try {
    // Evidence is the same value: who maps it for the model must not change what is kept.
    if (ports.labels !== null || ports.observation !== directObservation) {
      deepFreeze(envelope.data)
      deepFreeze(described.items)
    }
    const items = conceal(ports.labels, described.items, call)
    if (!isThenable(items) && ports.observation === directObservation && envelope.status === 'success') {
      // The common case, measured once instead of twice.
      const size = sizeOf(items)
      if (size <= observationBudget) return finish(call, { items, size, by }, envelope, ports)
    }
    const shown = isThenable(items)
      ? items.then((concealed) => ports.observation.map(envelope, concealed, call.handOut()))
      : ports.observation.map(envelope, items, call.handOut())
    if (isThenable(shown)) {
      const settle = (mapped: readonly ResultItem[]): void => {
        try {
          finish(call, measure(mapped, by), envelope, ports)
        } catch {
          withhold(call, envelope, ports)
        }
      }
      const patience = { fan: scope.fan, clock: ports.clock, remainingMs: scope.remainingMs() }
      return withinRun(shown, patience).then((waited) =>
        waited.kind === 'done' ? settle(waited.value) : withhold(call, envelope, ports),
      )
    }
    finish(call, measure(shown, by), envelope, ports)
  } catch {
    withhold(call, envelope, ports)
  }
  return undefined
}

/** What the model sees, how many characters it costs, and which middleware changed it. */
type Shown = { readonly items: readonly ResultItem[]; readonly size: number; readonly by: string | null }

/** Throws for what is no list of content: mappers and labels are the host's code. */
function measure(items: readonly ResultItem[], by: string | null): Shown {
  if (!Array.isArray(items) || !items.every(isResultItem)) throw new TypeError('Not a list of content.')
  return { items, size: sizeOf(items), by }
}

/** The step of an execution that has ended: its state, its latency, its full result as evidence. */
export function recordExecution(
  call: LiveCall,
  outcome: ExecutionOutcome,
  latencyMs: number,
  ports: Pick<StagePorts, 'clock'>,
): void {
  const detail = outcome.errorCode === null ? null : { errorCode: outcome.errorCode }
  call.move(outcome.state, ports.clock.now(), detail, { latencyMs })
  call.keepEvidence(outcome.data)
}

function finish(call: LiveCall, { items, size, by }: Shown, shown: Envelope, ports: AnswerPorts): void {
  const note = editNote(call)
  const patch = {
    result: {
      status: shown.status,
      summary: shown.summary,
      errorCode: shown.errorCode ?? null,
      retryable: shown.retryable,
      evidenceUri: shown.evidenceUri ?? null,
      answer: answerPart(call, shown, note === null ? items : [note, ...items]),
    },
    observationTokens: Math.ceil((size + (note?.text.length ?? 0)) / 4),
  }
  if (call.state === 'Unknown') call.note(patch)
  else call.move('Observed', ports.clock.now(), by === null ? null : { by }, patch)
}

/** What a model is told of arguments that are not the ones it wrote, at most this many characters of JSON of them. */
const longestEdit = 2_000

/** The model wrote other arguments than the ones a person approved: without a word it would speak of its own. */
function editNote({ record }: LiveCall): TextPart | null {
  if (record.approvalId === null || !record.transitions.some(isEdit)) return null
  const edited = JSON.stringify(record.arguments)
  const text = 'A person changed the arguments of this call before approving it'
  return { kind: 'text', text: edited.length <= longestEdit ? `${text}, to ${edited}` : `${text}.` }
}

function isEdit({ detail }: Transition): boolean {
  return isJsonObject(detail) && detail['edited'] === true
}

function withhold(call: LiveCall, envelope: Envelope, ports: AnswerPorts): void {
  const summary = sentenceFor('INTERNAL')
  const withheld: Envelope = { ...envelope, status: 'error', errorCode: 'INTERNAL', summary }
  finish(call, measure([{ kind: 'text', text: `INTERNAL: ${summary}` }], null), withheld, ports)
}

function conceal(
  labels: Labels | null,
  items: readonly ResultItem[],
  call: LiveCall,
): readonly ResultItem[] | Promise<readonly ResultItem[]> {
  return labels === null || items.length === 0 ? items : labels.conceal(items, call.handOut())
}

type Described = { readonly envelope: Envelope; readonly items: readonly ResultItem[] }

function describe(call: LiveCall, outcome: Outcome): Described {
  switch (outcome.kind) {
    case 'executed':
    case 'passed': {
      const { outcome: ended, latencyMs } = outcome
      const base = {
        status: ended.status,
        data: ended.data,
        summary: ended.summary ?? summarise(ended.data),
        retryable: ended.retryable,
        evidenceUri: evidenceUriOf(call.record.runId, call.record.id),
        latencyMs,
      }
      const envelope = ended.errorCode === null ? base : { ...base, errorCode: ended.errorCode }
      return { items: ended.items, envelope }
    }
    case 'withheld':
      return withEvidence(call, failed('RESULT_WITHHELD', ''))
    case 'refused':
      return failed(outcome.errorCode, outcome.because)
    case 'unknown-tool':
      return failed('UNKNOWN_TOOL', unknownToolText(call.record.tool, outcome.known))
    case 'invalid-arguments':
      return failed('INVALID_ARGUMENT', issuesText(outcome.issues))
    case 'deny':
      return failed('PERMISSION_DENIED', outcome.reason ?? '')
    case 'error':
      return failed('POLICY_ERROR', '')
    case 'denied':
      return failed('APPROVAL_DENIED', outcome.reason === null ? '' : `Reason given: ${outcome.reason}`)
    case 'expired':
      return failed('APPROVAL_EXPIRED', '')
    case 'cancelled':
      return failed('CANCELLED', outcome.because)
    case 'unrecorded':
      return failed('POLICY_ERROR', 'The call could not be recorded, so it did not run.')
    case 'over-budget':
      return failed('BUDGET_EXCEEDED', outcome.because)
    case 'in-doubt':
      return failed('IN_DOUBT', outcome.because)
    default:
      return outcome satisfies never
  }
}

function failed(errorCode: ErrorCode, particulars: string): Described {
  const summary = particulars === '' ? sentenceFor(errorCode) : particulars
  return { items: [], envelope: { status: 'error', data: null, summary, errorCode, retryable: false } }
}

/** The result may not be shown, but it is kept. */
function withEvidence(call: LiveCall, { envelope, items }: Described): Described {
  return { envelope: { ...envelope, evidenceUri: evidenceUriOf(call.record.runId, call.record.id) }, items }
}

function unknownToolText(name: string, known: readonly string[]): string {
  const shown = known.slice(0, 20).join(', ')
  const rest = known.length > 20 ? ` and ${known.length - 20} more` : ''
  const tools = known.length === 0 ? 'No tools are configured.' : `Known tools: ${shown}${rest}.`
  return `There is no tool named ${JSON.stringify(name.slice(0, 64))}. ${tools}`
}

function issuesText(issues: readonly SchemaIssue[]): string {
  const lines = issues.map((issue) => `${issue.path === '' ? 'arguments' : issue.path}: ${issue.message}`)
  return lines.length === 1 ? (lines[0] ?? '') : lines.map((line) => `- ${line}`).join(';\n')
}

function answerPart(call: LiveCall, envelope: Envelope, items: readonly ResultItem[]): FunctionResultPart {
  const { errorCode, evidenceUri } = envelope
  const part: Writable<FunctionResultPart> = {
    kind: 'function_result',
    callId: call.record.providerCallId,
    name: call.record.tool,
    call: call.record.id,
    status: envelope.status,
    content: items,
  }
  if (errorCode !== undefined) part.errorCode = errorCode
  if (evidenceUri !== undefined) part.evidenceUri = evidenceUri
  return part
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
