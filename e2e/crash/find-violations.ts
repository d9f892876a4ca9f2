import type { CallRecord, JsonObject, Message } from '@fairlead/runtime/core'
import { deskTools } from './desk-agent.ts'
import type { Effect, Ledger } from './ledger.ts'
import type { Seen, SeenRun } from './look-at-store.ts'

/** What must hold at every moment, whoever was killed when: one line for each thing that does not. */
export function findViolations(seen: Seen, ledger: Ledger, shownApprovals: ReadonlySet<string>): readonly string[] {
  return [
    ...listedIntents(seen),
    ...effectsOf(seen, ledger),
    ...keptApprovals(seen, shownApprovals),
    ...seen.runs.flatMap((one) => [...conversationOf(one), ...endOf(one)]),
  ]
}

/** Every call that is not finished is listed across runs, and nothing else is. */
function listedIntents({ runs, open }: Seen): readonly string[] {
  const unfinished = runs.flatMap(({ calls }) => calls.filter(({ state }) => state !== 'Observed').map(({ id }) => id))
  const listed = open.map(({ id }) => id)
  return same(unfinished, listed) ? [] : [`open calls are ${unfinished.join()}, listed are ${listed.join()}`]
}

function effectsOf({ runs }: Seen, { effects }: Ledger): readonly string[] {
  const found: string[] = []
  const calls = new Map(runs.flatMap(({ calls: some }) => some.map((call) => [String(call.id), call])))
  const approvals = runs.flatMap((one) => one.approvals)
  for (const effect of effects) {
    const call = calls.get(effect.callId)
    if (call === undefined) found.push(`effect ${effect.number} (${effect.tool}) has no call in the store`)
    else if (effect.attempt > attemptsOf(call)) found.push(`${call.id} took effect before it was written as executing`)
    if (effect.arguments['gated'] === true && !approvals.some((one) => consents(one, effect))) {
      found.push(`${effect.callId} took effect with arguments nobody approved`)
    }
  }
  for (const call of calls.values()) {
    const own = effects.filter(({ callId }) => callId === call.id)
    const toolClass = deskTools[call.tool]
    if (toolClass === 'idempotencyKey' && own.length > 1) found.push(`${call.id} (one key) has ${own.length} effects`)
    if (toolClass === 'readOnly' || toolClass === 'idempotencyKey' || toolClass === undefined) continue
    const twice = own.filter((one, index) => own.findIndex(({ attempt }) => attempt === one.attempt) !== index)
    if (twice.length > 0) found.push(`${call.id} (${toolClass}) has two effects in one attempt`)
    const allowed = allowedAttempts(call)
    if (attemptsOf(call) > allowed) found.push(`${call.id} (${toolClass}) was carried out ${attemptsOf(call)} times`)
    if (toolClass === 'queryable') continue
    const granted = approvals.filter(({ callId, status }) => callId === call.id && status === 'approved').length
    if (call.arguments?.['gated'] === true && attemptsOf(call) > granted) {
      found.push(`${call.id} ran ${attemptsOf(call)} times on ${granted} approvals`)
    }
  }
  return found
}

function consents(
  approval: SeenRun['approvals'][number],
  { callId, arguments: args }: Pick<Effect, 'callId' | 'arguments'>,
): boolean {
  if (approval.callId !== callId || approval.status !== 'approved') return false
  return sameArguments(approval.edited?.arguments ?? approval.arguments, args)
}

function sameArguments(one: JsonObject, other: JsonObject): boolean {
  return one['item'] === other['item'] && (one['gated'] === true) === (other['gated'] === true)
}

function attemptsOf({ transitions }: CallRecord): number {
  return transitions.filter(({ state }) => state === 'Executing').length
}

/** Once, and once more each time a person said so or the remote surely knew of nothing. */
function allowedAttempts({ transitions }: CallRecord): number {
  return transitions.filter(
    ({ state }, index) =>
      (state === 'Executing' && index > 0 && transitions[index - 1]?.state !== 'Retried') ||
      (state === 'Retried' && JSON.stringify(transitions[index]?.detail).includes('the remote says')),
  ).length
}

/** Every approval somebody was shown is still there. */
function keptApprovals({ runs }: Seen, shown: ReadonlySet<string>): readonly string[] {
  const kept = new Set(runs.flatMap(({ approvals }) => approvals.map(({ id }) => id)))
  const lost = [...shown].filter((id) => !kept.has(id)).map((id) => `approval ${id} was shown and is gone`)
  const doubled = runs.flatMap(({ calls, approvals }) =>
    calls
      .filter(({ id }) => approvals.filter((one) => one.callId === id && one.status === 'pending').length > 1)
      .map(({ id }) => `${id} has two open requests`),
  )
  const adrift = runs.flatMap(({ calls, approvals }) =>
    approvals
      .filter(({ status, callId, id }) => {
        const call = calls.find((one) => one.id === callId)
        return status === 'pending' && (call?.state !== 'NeedsApproval' || call.approvalId !== id)
      })
      .map(({ id, callId }) => `approval ${id} is pending, but ${callId} does not wait for it`),
  )
  return [...lost, ...doubled, ...adrift]
}

/** Each call of a conversation has its one result in the message that follows, the last batch of an open run excepted. */
function conversationOf({ run, messages }: SeenRun): readonly string[] {
  const found: string[] = []
  const at = (index: number): string => `message ${index} of ${run.id} (${messages.map(({ role }) => role).join()})`
  for (const [index, message] of messages.entries()) {
    const called = partIds(message, 'function_call')
    if (message.role === 'tool' && partIds(messages[index - 1], 'function_call').length === 0) {
      found.push(`${at(index)}: results without calls before them`)
    }
    if (called.length === 0) continue
    const next = messages[index + 1]
    if (next === undefined && run.status !== 'ended') continue
    const answered = next?.role === 'tool' ? partIds(next, 'function_result') : []
    if (!same(called, answered)) found.push(`${at(index)}: calls ${called.join()}, results ${answered.join()}`)
  }
  return found
}

function partIds(message: Message | undefined, kind: 'function_call' | 'function_result'): readonly string[] {
  return (message?.parts ?? []).flatMap((part) => (part.kind === kind ? [part.callId] : []))
}

/** A run that ended has answered every call, holds no lease and waits for nobody. */
function endOf({ run, calls, approvals, messages }: SeenRun): readonly string[] {
  if (run.status !== 'ended') return []
  const found: string[] = []
  if (run.lease !== null) found.push(`${run.id} has ended and is held by ${run.lease.worker}`)
  if (run.stopReason === null) found.push(`${run.id} ended without a reason`)
  for (const call of calls) {
    const isOpen = call.state !== 'Observed' && !(call.state === 'Unknown' && call.result !== null)
    if (isOpen || call.result === null) found.push(`${call.id} is ${call.state} though its run has ended`)
  }
  for (const { id } of approvals.filter(({ status }) => status === 'pending')) {
    found.push(`approval ${id} is pending though its run has ended`)
  }
  const results = messages.flatMap((message) => partIds(message, 'function_result')).length
  if (run.firstMessage === 0 && results !== calls.length) {
    found.push(`${run.id} has ${calls.length} calls and ${results} results`)
  }
  return found
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted())
}
