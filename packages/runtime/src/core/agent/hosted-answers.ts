import type { HostedApprovalResponsePart } from '../content/content-part.ts'
import { openHostedRequests } from '../content/hosted-approvals.ts'
import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import { findNonJson, isJsonObject } from '../json/json.ts'
import type { Store } from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'
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
  if (run !== undefined && run.parent === null) return run.sessionId
  throw new FairleadError('APPROVAL_REFUSED', whyNoConversation(runIds.size, run))
}

function whyNoConversation(runs: number, run: RunRecord | undefined): string {
  if (runs > 1) return 'These answers to a provider belong to several runs. Give those of one run at a time.'
  if (run !== undefined)
    return 'The run that asked lies inside a call of another one, which has gone on without an answer.'
  return 'An answer to a provider goes on with its conversation, which is not in this store: agent.run(answers, { session }).'
}

/** The run whose turn the conversation ends with: later ones, which were turned away, have said nothing. */
export async function runThatAsked(store: Store, sessionId: string): Promise<RunRecord | undefined> {
  const messages = (await store.sessions.get(sessionId))?.messages ?? []
  const turn = messages.findLastIndex(({ role }) => role === 'assistant')
  return (await store.journal.runs({ sessionId })).find(({ firstMessage }) => firstMessage <= turn)
}

/**
 * The answers that fit what the conversation ends with, as the message they travel in: each request is answered once, and
 * what is kept is what was looked at. Throws `APPROVAL_REFUSED` when none fits.
 */
export function takeHosted(
  answers: readonly HostedApprovalResponsePart[],
  stored: readonly Message[],
  asking: string | null,
): { readonly added: readonly Message[]; readonly refused: readonly RefusedAnswer[] } {
  const open = new Set(openHostedRequests(stored).map(({ request }) => request.id))
  const parts: HostedApprovalResponsePart[] = []
  const refused: RefusedAnswer[] = []
  for (const answer of answers) {
    const read = readAnswer(answer)
    const { id } = read
    if (read.kind === 'unfit') refused.push({ id, reason: `Not an answer to a request: ${read.because}.` })
    else if (read.part.runId !== undefined && read.part.runId !== asking) refused.push({ id, reason: notOpen })
    else if (open.delete(id)) parts.push(read.part)
    else refused.push({ id, reason: notOpen })
  }
  if (parts.length > 0) return { added: [{ role: 'tool', parts }], refused }
  const why = refused.map(({ id, reason }) => `${id}: ${reason}`).join(' ')
  throw new FairleadError('APPROVAL_REFUSED', `None of these answers fits a request of a provider. ${why}`)
}

const notOpen = 'The conversation does not end with such a request of a provider, or it is answered already.'

/** Why an answer that is mixed with those to a suspended run is not taken. */
export const waitsForOthers =
  'Its run waits for other answers first. Give it when the run has stopped with hosted_approval_required.'

type ReadAnswer =
  | { readonly kind: 'fit'; readonly id: string; readonly part: HostedApprovalResponsePart }
  | { readonly kind: 'unfit'; readonly id: string; readonly because: string }

/** Answers come from outside: each member is read once, and nothing else is kept. */
function readAnswer(answer: HostedApprovalResponsePart): ReadAnswer {
  const given: { readonly [Member in keyof HostedApprovalResponsePart]?: unknown } = answer
  const { id, approved, by, reason, runId, providerMetadata } = given
  const unfit = (because: string): ReadAnswer => ({
    kind: 'unfit',
    id: typeof id === 'string' ? id : 'an answer',
    because,
  })
  if (typeof id !== 'string' || id === '') return unfit('it has no id')
  if (typeof approved !== 'boolean') return unfit('approved must be true or false')
  if (typeof by !== 'string' || by.trim() === '') return unfit('it does not say by whom')
  if (reason !== undefined && typeof reason !== 'string') return unfit('its reason is no text')
  if (runId !== undefined && typeof runId !== 'string') return unfit('its runId is no text')
  if (providerMetadata !== undefined && !(isJsonObject(providerMetadata) && findNonJson(providerMetadata) === null))
    return unfit('its providerMetadata is no JSON object')
  const part: HostedApprovalResponsePart = {
    kind: 'hosted_approval_response',
    id,
    approved,
    by,
    ...(reason === undefined ? {} : { reason }),
    ...(runId === undefined ? {} : { runId }),
    ...(providerMetadata === undefined ? {} : { providerMetadata: structuredClone(providerMetadata) }),
  }
  return { kind: 'fit', id, part }
}
