import { approvalDigest } from '../approval/approval-digest.ts'
import type { Approval } from '../approval/approval.ts'
import { isByRule } from '../approval/consult.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { JsonObject } from '../json/json.ts'
import type { PolicyQuestion } from '../ports/policy.ts'
import type { Tool } from '../tool/tool.ts'
import type { RecordedDecision } from './call-record.ts'
import { judgeCall, type Judgement } from './judge-call.ts'
import type { LiveCall } from './live-call.ts'
import { whenReady } from './maybe-promise.ts'
import { parseArguments, unchecked, type ParsedArguments } from './parse-arguments.ts'
import { requestApproval } from './request-approval.ts'
import { answered, answerWith, goAhead, reject, rejectUnknown, type Stage } from './stage.ts'
import type { Opened } from './stage-ports.ts'
import { tellUnjudged } from './tell-failure.ts'

/** The third stage: policy and contract together. Leaves the call going ahead, asking a person, or rejected. */
export function authoriseCall(call: LiveCall, stage: Stage): Opened | Promise<Opened> {
  const { tool } = call
  const args = call.record.arguments
  if (tool === null || args === null) return rejectUnknown(call, stage)
  return whenReady(judge(tool, args, stage), (judgement): Opened | Promise<Opened> => {
    if (call.isAnswered) return answered
    switch (judgement.kind) {
      case 'error':
        tellUnjudged(call, judgement.because, stage.scope)
        call.note({ decision: decisionOf(judgement) })
        return reject(call, judgement, stage)
      case 'deny':
        call.note({ decision: decisionOf(judgement) })
        return reject(call, judgement, stage)
      case 'ask':
        call.move('PolicyChecked', stage.ports.clock.now(), null, { decision: decisionOf(judgement) })
        // Arguments that were replaced may be the very ones a person has approved.
        if (call.consents.length > 0 && isConsented(call, digestOf(tool, args, stage), judgement.askedBy, stage)) {
          return goAhead(tool)
        }
        return ask(call, { tool, args, askedBy: judgement.askedBy, reason: judgement.reason }, stage)
      case 'allow':
        call.move('PolicyChecked', stage.ports.clock.now(), null, { decision: decisionOf(judgement) })
        return goAhead(tool)
      default:
        return judgement satisfies never
    }
  })
}

/** A consent, as far as a claim looks at it. */
export type Consent = Pick<Approval, 'digest' | 'expiresAt' | 'askedBy' | 'decidedBy'>

/**
 * The last decision before a call that waited may run: its approval, if it needed one, still stands and fits, the tool
 * is still the same, and policy, asked again, has not become stricter.
 */
export function claimCall(call: LiveCall, consent: Consent | null, stage: Stage): Opened | Promise<Opened> {
  const { tool } = call
  const args = call.record.arguments
  if (tool === null || args === null) return rejectUnknown(call, stage)
  const now = stage.ports.clock.now()
  if (consent !== null && now >= consent.expiresAt) {
    call.move('Expired', now)
    return answerWith(call, { kind: 'expired' }, stage)
  }
  if (consent === null || consent.digest === digestOf(tool, args, stage)) return claim(call, consent, stage, true)
  // It is another call than the one that was consented to; if its tool has changed, its arguments may fit no more.
  return whenReady(parseAgain(call, tool), (parsed): Opened | Promise<Opened> => {
    if (call.isAnswered) return answered
    if (parsed.kind === 'invalid') return reject(call, { kind: 'invalid-arguments', issues: parsed.issues }, stage)
    if (canonicalJson(parsed.value) !== canonicalJson(args)) call.note({ arguments: parsed.value })
    return claim(call, consent, stage, false)
  })
}

/** The model's own text, read with the schema of now; what somebody put in its place is read as it stands. */
function parseAgain({ record }: LiveCall, tool: Tool): ParsedArguments | Promise<ParsedArguments> {
  const isChanged = record.transitions.filter(({ state }) => state === 'Validated').length > 1
  try {
    const parsed = parseArguments(isChanged ? JSON.stringify(record.arguments) : record.rawArguments, tool.input)
    return parsed instanceof Promise ? parsed.catch(() => unchecked) : parsed
  } catch {
    return unchecked
  }
}

function claim(call: LiveCall, consent: Consent | null, stage: Stage, fits: boolean): Opened | Promise<Opened> {
  const { tool } = call
  const args = call.record.arguments
  if (tool === null || args === null) return rejectUnknown(call, stage)
  return whenReady(judge(tool, args, stage), (judgement): Opened | Promise<Opened> => {
    if (call.isAnswered) return answered
    call.note({ decision: decisionOf(judgement) })
    switch (judgement.kind) {
      case 'error':
        tellUnjudged(call, judgement.because, stage.scope)
        return reject(call, judgement, stage)
      case 'deny':
        return reject(call, judgement, stage)
      case 'ask':
        return consent !== null && fits && answersTo(consent, judgement.askedBy)
          ? goAhead(tool)
          : ask(call, { tool, args, askedBy: judgement.askedBy, reason: judgement.reason }, stage)
      case 'allow':
        return fits ? goAhead(tool) : ask(call, { tool, args, askedBy: 'contract', reason: null }, stage)
      default:
        return judgement satisfies never
    }
  })
}

function judge(tool: Tool, args: JsonObject, { ports, scope }: Stage): Judgement | Promise<Judgement> {
  const question: PolicyQuestion = {
    tool: tool.contract,
    arguments: args,
    principal: scope.principal,
    environment: scope.environment,
    sessionId: scope.sessionId,
    runId: scope.runId,
  }
  return judgeCall(ports.policy, question)
}

/** Whether exactly this was approved already, on the request of `askedBy`: what middleware asks has its own consent. */
export function hasConsent(call: LiveCall, digest: string, stage: Stage, askedBy: string): boolean {
  return consentsTo(call, digest, stage).some((consent) => consent.askedBy === askedBy)
}

function isConsented(call: LiveCall, digest: string, askedBy: string, stage: Stage): boolean {
  return consentsTo(call, digest, stage).some((consent) => answersTo(consent, askedBy))
}

function consentsTo(call: LiveCall, digest: string, stage: Stage): readonly Approval[] {
  const now = stage.ports.clock.now()
  return call.consents.filter(
    (consent) =>
      consent.status === 'approved' && (consent.edited?.digest ?? consent.digest) === digest && now < consent.expiresAt,
  )
}

/**
 * Whether a consent is an answer to who asks now. A person's is, whoever asks: it is to this very call. A rule's is only
 * to whom it was asked for, and one given to a call that needed none is to nobody.
 */
function answersTo({ askedBy: askedThen, decidedBy }: Consent, askedBy: string): boolean {
  if (askedThen === 'batch') return false
  return askedThen === askedBy || !isByRule(decidedBy)
}

/** Makes the request a person will be shown; the call waits for it. */
export function ask(
  call: LiveCall,
  subject: {
    readonly tool: Tool
    readonly args: JsonObject
    readonly askedBy: string
    readonly reason: string | null
  },
  { ports }: Stage,
): Extract<Opened, { kind: 'ask' }> {
  const { tool, args, askedBy, reason } = subject
  const approval = requestApproval(call.record, { contract: tool.contract, arguments: args, askedBy, reason }, ports)
  call.move('NeedsApproval', approval.createdAt, { approval: approval.id, askedBy }, { approvalId: approval.id })
  return { kind: 'ask', approval }
}

/** What a consent to this call would be bound to. */
export function digestOf(tool: Tool, args: JsonObject, { ports, scope }: Stage): string {
  return approvalDigest({ contract: tool.contract, arguments: args, sessionId: scope.sessionId }, ports.hash)
}

function decisionOf(judgement: Judgement): RecordedDecision {
  return { effect: judgement.kind === 'error' ? 'deny' : judgement.kind, rules: judgement.rules }
}
