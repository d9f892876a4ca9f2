import type { HostedApprovalResponsePart } from '../content/content-part.ts'
import { openHostedRequests, type OpenHostedRequest } from '../content/hosted-approvals.ts'
import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Store } from '../ports/journal.ts'
import type { HostAnswer } from './agent-options.ts'
import type { RefusedAnswer } from './run-result.ts'

/** Splits the host's answers: those to providers go on with the conversation, the others with their run. */
export function splitAnswers(answers: readonly HostAnswer[]): {
  readonly hosted: readonly HostedApprovalResponsePart[]
  readonly own: readonly OwnAnswer[]
} {
  const hosted = answers.filter(isHosted)
  return hosted.length === 0
    ? { hosted, own: answers as readonly OwnAnswer[] }
    : { hosted, own: answers.filter((answer): answer is OwnAnswer => !isHosted(answer)) }
}

export type OwnAnswer = Exclude<HostAnswer, HostedApprovalResponsePart>

function isHosted(answer: HostAnswer): answer is HostedApprovalResponsePart {
  const given: unknown = answer
  return typeof given === 'object' && given !== null && answer.kind === 'hosted_approval_response'
}

/** The conversation some answers belong to. Rejects with `APPROVAL_REFUSED` when that cannot be told. */
export async function conversationOf(answers: readonly HostedApprovalResponsePart[], store: Store): Promise<string> {
  const runIds = new Set(answers.flatMap(({ runId }) => (typeof runId === 'string' ? [runId] : [])))
  const [runId] = runIds
  const run = runId === undefined || runIds.size > 1 ? undefined : await store.journal.run(runId)
  if (run !== undefined) return run.sessionId
  throw new FairleadError(
    'APPROVAL_REFUSED',
    runIds.size > 1
      ? 'These answers to a provider belong to several runs. Give those of one run at a time.'
      : 'An answer to a provider goes on with its conversation, which is not in this store: agent.run(answers, { session }).',
  )
}

/**
 * The answers that fit what the conversation ends with, as the message they travel in. Each request is answered once.
 * Throws `APPROVAL_REFUSED` when none fits.
 */
export function takeHosted(
  answers: readonly HostedApprovalResponsePart[],
  stored: readonly Message[],
): { readonly added: readonly Message[]; readonly refused: readonly RefusedAnswer[] } {
  const open = new Map<unknown, OpenHostedRequest>(openHostedRequests(stored).map((one) => [one.request.id, one]))
  const parts: HostedApprovalResponsePart[] = []
  const refused: RefusedAnswer[] = []
  for (const answer of answers) {
    const fault = faultOf(answer)
    if (fault !== null) refused.push({ id: String(answer.id), reason: `Not an answer to a request: ${fault}.` })
    else if (open.delete(answer.id)) parts.push(answer)
    else refused.push({ id: answer.id, reason: notOpen })
  }
  if (parts.length > 0) return { added: [{ role: 'tool', parts }], refused }
  const why = refused.map(({ id, reason }) => `${id}: ${reason}`).join(' ')
  throw new FairleadError('APPROVAL_REFUSED', `None of these answers fits a request of a provider. ${why}`)
}

const notOpen = 'The conversation does not end with such a request of a provider, or it is answered already.'

/** Why an answer that is mixed with those to a suspended run is not taken. */
export const waitsForOthers =
  'Its run waits for other answers first. Give it when the run has stopped with hosted_approval_required.'

/** Answers come from outside. */
function faultOf({ id, approved, by, reason }: HostedApprovalResponsePart): string | null {
  const given: { readonly [name: string]: unknown } = { id, approved, by, reason }
  if (typeof given['id'] !== 'string' || given['id'] === '') return 'it has no id'
  if (typeof given['approved'] !== 'boolean') return 'approved must be true or false'
  if (typeof given['by'] !== 'string' || given['by'].trim() === '') return 'it does not say by whom'
  if (given['reason'] !== undefined && typeof given['reason'] !== 'string') return 'its reason is no text'
  return null
}
