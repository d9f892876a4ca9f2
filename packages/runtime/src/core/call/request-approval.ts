import { approvalDigest } from '../approval/approval-digest.ts'
import { lastTime } from '../approval/last-time.ts'
import { principalKey } from './principal-key.ts'
import type { Approval } from '../approval/approval.ts'
import type { JsonObject } from '../json/json.ts'
import type { ToolContract } from '../tool/contract.ts'
import type { CallRecord } from './call-record.ts'
import { isThenable } from './maybe-promise.ts'
import type { StagePorts } from './stage-ports.ts'

/** The record of what a person will be asked: a snapshot, taken before anybody is shown anything. */
export function requestApproval(
  call: CallRecord,
  subject: {
    readonly contract: ToolContract
    readonly arguments: JsonObject
    readonly askedBy: string
    readonly reason: string | null
  },
  ports: Pick<StagePorts, 'clock' | 'ids' | 'hash' | 'approvalTtlMs'>,
): Approval {
  const { contract } = subject
  const createdAt = ports.clock.now()
  return {
    id: ports.ids.next('approval'),
    runId: call.runId,
    sessionId: call.sessionId,
    callId: call.id,
    principalId: principalKey(call.principal),
    origin: contract.origin,
    owner: contract.owner,
    tool: contract.name,
    version: contract.version,
    arguments: subject.arguments,
    risk: contract.risk,
    effects: contract.effects,
    impact: impactOf(contract, subject.arguments),
    reversible: contract.reversible,
    modelReason: call.modelReason,
    askedBy: subject.askedBy,
    askReason: subject.reason,
    digest: approvalDigest({ contract, arguments: subject.arguments, sessionId: call.sessionId }, ports.hash),
    createdAt,
    expiresAt: Math.min(createdAt + ports.approvalTtlMs, lastTime),
    status: 'pending',
    decidedBy: null,
    decidedAt: null,
    reason: null,
    edited: null,
  }
}

function impactOf(contract: ToolContract, args: JsonObject): string | null {
  if (typeof contract.impact !== 'function') return contract.impact
  try {
    const impact: unknown = contract.impact({ tool: contract.name, arguments: args })
    // A promise is no text, and must not go unheard.
    if (isThenable(impact)) Promise.resolve(impact).catch(() => undefined)
    return typeof impact === 'string' ? impact : null
  } catch {
    // The card then says "not declared": a broken description must neither run the call nor hide it.
    return null
  }
}
