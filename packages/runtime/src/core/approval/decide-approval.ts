import { LiveCall } from '../call/live-call.ts'
import { parseArguments } from '../call/parse-arguments.ts'
import { rootOf } from '../call/root-of.ts'
import type { StopReason } from '../loop/stop-reason.ts'
import { FairleadError } from '../fairlead-error.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { findNonJson, isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import type { Ids } from '../ports/ids.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import { isRecorded, type Recorder } from '../ports/recorder.ts'
import type { Tool } from '../tool/tool.ts'
import { approvalDigest } from './approval-digest.ts'
import type { Approval, ApprovalEdit } from './approval.ts'
import { isByRule } from './consult.ts'
import { standingRuleFrom, type Remember } from './remember.ts'
import { isInForce, type StandingRule } from './standing-rule.ts'

/** A person's answer, from the host's channel. `by` names who decided. */
export type ApprovalAnswer = {
  readonly id: string
  readonly approved: boolean
  readonly by: string
  readonly reason?: string
  /** Approve these arguments in place of those that were asked about. They are validated and judged by policy again. */
  readonly edit?: JsonObject
  /** Approve calls like this one from now on. */
  readonly remember?: Remember
}

/** What became of an answer. Only `decided` changed anything. */
export type ApprovalVerdict =
  | { readonly kind: 'decided'; readonly approval: Approval }
  | { readonly kind: 'already'; readonly approval: Approval }
  | { readonly kind: 'expired'; readonly approval: Approval }
  | { readonly kind: 'unknown'; readonly id: string }
  /** The run the request belongs to has ended: nothing would come of a decision, so none is recorded. */
  | { readonly kind: 'ended'; readonly approval: Approval; readonly stopReason: StopReason | null }
  /** The request stands; the answer cannot be taken as it is. */
  | { readonly kind: 'invalid'; readonly approval: Approval; readonly because: string }

export type DecideOptions = {
  readonly clock: Clock
  readonly recorder?: Recorder | null
  /** The tools of the agent, by name, and a hash: needed for answers with other arguments. */
  readonly tools?: ReadonlyMap<string, Tool>
  readonly hash?: Hash
  /** Needed for answers that are remembered. */
  readonly ids?: Ids
}

/** What is wrong with an answer, or `null`. It comes from outside: `approved: "false"` is no consent. */
export function faultOfAnswer(answer: ApprovalAnswer): string | null {
  const given: unknown = answer
  if (typeof given !== 'object' || given === null) return 'it must be an object'
  const {
    id,
    approved,
    by,
    reason,
    edit: args,
    remember,
  } = given as { readonly [Key in keyof ApprovalAnswer]: unknown }
  if (typeof id !== 'string') return 'its id must be a text'
  if (approved !== true && approved !== false) return `approved must be true or false, found ${named(approved)}`
  if (typeof by !== 'string' || by.trim() === '') return 'by must name who decided'
  if (isByRule(by)) return 'by must name a person, not a rule'
  if (reason !== undefined && reason !== null && typeof reason !== 'string') return 'its reason must be a text'
  if (args !== undefined && !isJsonObject(args)) return 'its edit must be an object of arguments'
  if (args !== undefined && findNonJson(args) !== null) return 'its edit must be JSON'
  if (remember !== undefined && (typeof remember !== 'object' || remember === null)) {
    return 'remember must be { what, scope?, expiresAt? }'
  }
  if (!approved && (args !== undefined || remember !== undefined)) {
    return 'a refusal changes no arguments and is not remembered'
  }
  return null
}

function named(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value)
}

const shownFields = [
  'tool',
  'version',
  'arguments',
  'owner',
  'origin',
  'callId',
  'runId',
  'sessionId',
  'principalId',
  'digest',
] as const satisfies readonly (keyof Approval)[]

/**
 * A member of an answer that says something else than the request does, or `null`. Whoever answers believes to decide
 * on what the answer carries: consent to something else is no consent to this. An edit is the one way to change anything.
 */
function alteredField(answer: object, approval: Approval): string | null {
  for (const field of shownFields) {
    if (!Object.hasOwn(answer, field)) continue
    const value: unknown = (answer as { readonly [name: string]: unknown })[field]
    if (value === undefined) continue
    if (findNonJson(value) !== null || canonicalJson(value as Json) !== canonicalJson(approval[field])) return field
  }
  return null
}

/**
 * Records a decision, once: the first one wins, whoever comes later learns who decided and when. The call, its request
 * and a rule to remember change in one transaction. Nothing runs here; resuming the run does that.
 * Rejects with `APPROVAL_REFUSED` for what is no answer at all, else only when the store fails.
 */
export async function decideApproval(
  store: Store,
  answer: ApprovalAnswer,
  options: DecideOptions,
): Promise<ApprovalVerdict> {
  const fault = faultOfAnswer(answer)
  if (fault !== null) throw new FairleadError('APPROVAL_REFUSED', `Not an answer to a request: ${fault}.`)
  for (;;) {
    const approval = await store.approvals.get(answer.id)
    if (approval === undefined) return { kind: 'unknown', id: answer.id }
    if (approval.status === 'expired') return { kind: 'expired', approval }
    if (approval.status !== 'pending') return { kind: 'already', approval }
    const root = await store.journal.run(await rootOf(store, approval.runId))
    if (root?.status === 'ended') return { kind: 'ended', approval, stopReason: root.stopReason }
    const altered = alteredField(answer, approval)
    if (altered !== null) {
      return {
        kind: 'invalid',
        approval,
        because: `its ${altered} is not what was asked about; to change arguments, edit`,
      }
    }
    const at = options.clock.now()
    const expired = at >= approval.expiresAt
    const edit = expired ? null : await editOf(approval, answer, options)
    if (edit !== null && 'because' in edit) return { kind: 'invalid', approval, because: edit.because }
    const decided: Approval = {
      ...approval,
      status: expired ? 'expired' : answer.approved ? 'approved' : 'denied',
      decidedBy: expired ? null : answer.by,
      decidedAt: at,
      reason: expired ? null : (answer.reason ?? null),
      edited: edit,
    }
    const remembered = expired || answer.remember === undefined ? null : ruleOf(decided, answer.remember, at, options)
    if (remembered !== null && remembered.kind === 'invalid') {
      return { kind: 'invalid', approval, because: remembered.because }
    }
    const rule = remembered === null || (await isRemembered(store, remembered.rule, at)) ? null : remembered.rule
    try {
      const isWritten = await write(store, decided, rule, options.recorder ?? null)
      // Law 7: what is not recorded is not decided. What the recorder said is the recorder's own affair.
      if (!isWritten) return { kind: 'invalid', approval, because: 'it could not be recorded' }
    } catch (error) {
      // Somebody else was first: look again and tell who.
      if (error instanceof JournalConflict) continue
      throw error
    }
    return expired ? { kind: 'expired', approval: decided } : { kind: 'decided', approval: decided }
  }
}

/** The arguments the person approved instead, checked like a model's; `null` where there are none. */
async function editOf(
  approval: Approval,
  { edit: args }: ApprovalAnswer,
  { tools, hash }: DecideOptions,
): Promise<ApprovalEdit | { readonly because: string } | null> {
  if (args === undefined) return null
  const tool = tools?.get(approval.tool)
  if (tool === undefined || hash === undefined) {
    return { because: `tool "${approval.tool}" is not known here, so other arguments cannot be checked` }
  }
  if (!tool.contract.editable) return { because: `the arguments of tool "${approval.tool}" may not be changed` }
  const { sessionId } = approval
  if (approvalDigest({ contract: tool.contract, arguments: approval.arguments, sessionId }, hash) !== approval.digest) {
    return {
      because: `tool "${approval.tool}" has changed since it was asked about; approve or deny it as it was asked`,
    }
  }
  const parsed = await parseArguments(JSON.stringify(args), tool.input)
  if (parsed.kind === 'invalid') {
    const issues = parsed.issues.map((issue) => `${issue.path === '' ? 'arguments' : issue.path}: ${issue.message}`)
    return { because: `the arguments do not fit the tool: ${issues.join('; ')}` }
  }
  const subject = { contract: tool.contract, arguments: parsed.value, sessionId }
  return { arguments: parsed.value, digest: approvalDigest(subject, hash) }
}

function ruleOf(
  decided: Approval,
  remember: Remember,
  at: number,
  { ids }: DecideOptions,
): ReturnType<typeof standingRuleFrom> {
  if (ids === undefined) return { kind: 'invalid', because: 'nothing can be remembered here' }
  return standingRuleFrom(decided, remember, { id: ids.next('rule'), at })
}

/** Whether a rule that is in force says the same for at least as long. */
async function isRemembered(store: Store, rule: StandingRule, at: number): Promise<boolean> {
  const known = await store.rules.list({ tool: rule.tool })
  return known.some((other) => isInForce(other, at) && says(other) === says(rule) && lasts(other) >= lasts(rule))
}

function says({ tool, origin, owner, arguments: args, askedBy, scope }: StandingRule): string {
  return canonicalJson([tool, origin, owner, args, askedBy, { ...scope }])
}

function lasts({ expiresAt }: StandingRule): number {
  return expiresAt ?? Number.POSITIVE_INFINITY
}

const stateByStatus = { approved: 'Approved', denied: 'Denied', expired: 'Expired' } as const

async function write(
  store: Store,
  decided: Approval,
  rule: StandingRule | null,
  recorder: Recorder | null,
): Promise<boolean> {
  const { id, status, decidedBy: by, decidedAt: at, reason, edited: edit } = decided
  if (status === 'pending' || status === 'superseded' || at === null) return false
  const entries: JournalEntry[] = [{ kind: 'approval-decided', id, status, by, reason, at, edit }]
  if (rule !== null) entries.push({ kind: 'rule-added', rule })
  const record = (await store.journal.calls(decided.runId)).find((call) => call.id === decided.callId)
  if (record?.state === 'NeedsApproval' && record.approvalId === id) {
    const call = LiveCall.stored(record, null)
    const detail = { approval: id, by, ...(reason === null ? {} : { reason }) }
    if (edit === null) call.move(stateByStatus[status], at, detail)
    // Other arguments are another call: it is judged again from here, with this consent in hand.
    else call.move('Validated', at, { ...detail, edited: true }, { arguments: edit.arguments })
    if (!(await isRecorded(recorder, { call: call.record, transitions: call.unsaved }))) return false
    call.takeEntries(entries)
  }
  await store.journal.append(entries)
  return true
}

/** An approval as it stands now: a request whose time is over reads as expired, whatever is stored. */
export function judgedNow(approval: Approval, now: number): Approval {
  return approval.status === 'pending' && now >= approval.expiresAt
    ? { ...approval, status: 'expired', decidedAt: approval.expiresAt }
    : approval
}
