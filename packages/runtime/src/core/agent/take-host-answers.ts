import { decideApproval, faultOfAnswer, type ApprovalVerdict } from '../approval/decide-approval.ts'
import type { ApprovalResponsePart } from '../content/content-part.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Tool } from '../tool/tool.ts'
import type { OwnAnswer } from './hosted-answers.ts'
import { answerClientCall } from './answer-client-call.ts'
import type { AgentPorts } from './default-ports.ts'
import type { RefusedAnswer } from './run-result.ts'
import { isOfSession, rootOf } from '../call/root-of.ts'
import type { Session } from './session.ts'
import { toolsOfRun } from './tools-of-run.ts'

/** The run a host started that the answers belong to, and those that were not accepted. */
export type TakenAnswers = { readonly runId: string; readonly refused: readonly RefusedAnswer[] }

/**
 * Records the host's answers, each once and against its own record; nothing runs here. Rejects with `APPROVAL_REFUSED`
 * when none fits anything, or when they belong to several runs.
 */
export async function takeHostAnswers(
  answers: readonly OwnAnswer[],
  setting: {
    readonly ports: AgentPorts
    readonly tools: ReadonlyMap<string, Tool>
    readonly passesMiddleware: boolean
    readonly session: Session | undefined
  },
): Promise<TakenAnswers> {
  const refused: RefusedAnswer[] = []
  const runs = new Set<string>()
  // Together, so that a store that joins its writers needs one commit for all of them; those to be remembered one after
  // the other, so that what says the same is remembered once.
  const outcomes = new Map<number, Taken>()
  await Promise.all(
    answers.map(async (answer, index) => {
      if (!isRemembered(answer)) outcomes.set(index, await takeAnswer(answer, setting))
    }),
  )
  for (const [index, answer] of answers.entries()) {
    const taken = outcomes.get(index) ?? (await takeAnswer(answer, setting))
    // What agents inside the calls of one run asked is answered together.
    if (taken.runId !== null) runs.add(await rootOf(setting.ports.store, taken.runId))
    if (taken.kind === 'refused') refused.push({ id: idOf(answer), reason: taken.reason })
  }
  const [runId] = runs
  if (runId === undefined) {
    const why = refused.map(({ id, reason }) => `${id}: ${reason}`).join(' ')
    throw new FairleadError('APPROVAL_REFUSED', `None of these answers fits a request of this store. ${why}`)
  }
  if (runs.size > 1) {
    throw new FairleadError(
      'APPROVAL_REFUSED',
      'These answers belong to several runs. They are recorded; resume each run by itself.',
    )
  }
  return { runId, refused }
}

type Taken =
  | { readonly kind: 'answered'; readonly runId: string }
  | { readonly kind: 'refused'; readonly runId: string | null; readonly reason: string }

function idOf(answer: OwnAnswer): string {
  if (!isObject(answer)) return String(answer)
  return String(answer.kind === 'function_result' ? (answer.call ?? answer.callId) : answer.id)
}

function isObject(answer: unknown): answer is object {
  return typeof answer === 'object' && answer !== null
}

function isRemembered(answer: OwnAnswer): boolean {
  return isObject(answer) && 'remember' in answer && answer.remember !== undefined
}

type Setting = Parameters<typeof takeHostAnswers>[1]

/** Answers come from outside: what is neither a decision nor a result is refused, whatever else it carries. */
async function takeAnswer(answer: OwnAnswer, setting: Setting): Promise<Taken> {
  const { ports, session, tools, passesMiddleware } = setting
  if (!isObject(answer)) return neither
  switch (answer.kind) {
    case 'function_result':
      return answerClientCall(answer, { ...ports, tools, session, passesMiddleware })
    case 'function_approval_response': {
      const fault = faultOfAnswer(answer)
      if (fault !== null) return { kind: 'refused', runId: null, reason: `Not an answer to a request: ${fault}.` }
      return takeDecision(answer, setting)
    }
    default:
      answer satisfies never
      return neither
  }
}

const neither: Taken = {
  kind: 'refused',
  runId: null,
  reason: 'Neither a decision on a request nor the result of a call.',
}

async function takeDecision(answer: ApprovalResponsePart, { ports, session, tools }: Setting): Promise<Taken> {
  const { store, stages } = ports
  const known = await store.approvals.get(answer.id)
  if (known !== undefined && session !== undefined && !(await isOfSession(store, known.runId, session.id))) {
    return { kind: 'refused', runId: null, reason: 'This request belongs to another conversation.' }
  }
  const ofRun = known === undefined ? tools : await toolsOfRun(store, known.runId, tools)
  const verdict = await decideApproval(store, answer, { ...stages, tools: ofRun })
  if (verdict.kind === 'decided') return { kind: 'answered', runId: verdict.approval.runId }
  return { kind: 'refused', runId: known?.runId ?? null, reason: refusalOf(verdict) }
}

function refusalOf(verdict: Exclude<ApprovalVerdict, { kind: 'decided' }>): string {
  switch (verdict.kind) {
    case 'already': {
      const { status, decidedBy, decidedAt } = verdict.approval
      const when = decidedAt === null ? '' : ` at ${new Date(decidedAt).toISOString()}`
      return `Already ${status} by ${decidedBy ?? 'nobody'}${when}. A request is answered once.`
    }
    case 'expired':
      return `Expired at ${new Date(verdict.approval.expiresAt).toISOString()}.`
    case 'ended':
      return `The run it belongs to has ended (${verdict.stopReason ?? 'unknown reason'}): nothing would come of it.`
    case 'invalid':
      return `The answer cannot be taken: ${verdict.because}.`
    case 'unknown':
      return 'There is no such request in this store.'
    default:
      return verdict satisfies never
  }
}
