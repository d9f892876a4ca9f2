import type { Approval } from '../approval/approval.ts'
import { judgedNow } from '../approval/decide-approval.ts'
import type { CallRecord } from '../call/call-record.ts'
import { innerSessionId } from '../call/inner-session.ts'
import type { AgentPorts } from './default-ports.ts'

/** What a suspended run waits for, its own and that of agents inside its calls. */
export type OpenRequests = {
  readonly approvals: readonly OpenRequest<Approval>[]
  readonly clientCalls: readonly CallRecord[]
  readonly inDoubt: readonly CallRecord[]
}

/** A request and the agent tools it came through, outermost first; none for the run's own. */
export type OpenRequest<T> = { readonly request: T; readonly path: readonly string[] }

export const noRequests: OpenRequests = { approvals: [], clientCalls: [], inDoubt: [] }

/** Reads what a run waits for. One at a time: only the request that was made first is shown. */
export async function openRequests(
  ports: AgentPorts,
  runId: string,
  mode: 'all' | 'oneAtATime',
): Promise<OpenRequests> {
  const found = await requestsOf(ports, runId, [])
  return mode === 'all' ? found : { ...found, approvals: found.approvals.slice(0, 1) }
}

async function requestsOf(ports: AgentPorts, runId: string, path: readonly string[]): Promise<OpenRequests> {
  const { store, stages } = ports
  const now = stages.clock.now()
  const listed = await store.approvals.list({ runId, status: 'pending' })
  const calls = await store.journal.calls(runId)
  const approvals = listed
    .filter((approval) => judgedNow(approval, now).status === 'pending')
    .map((request) => ({ request, path }))
  const clientCalls = calls.filter((call) => call.state === 'AwaitingClient')
  const inDoubt = calls.filter((call) => call.state === 'Unknown' && call.result === null)
  for (const call of calls) {
    if (call.state !== 'Retried') continue
    const [inner] = await store.journal.runs({ sessionId: innerSessionId(call.id), limit: 1 })
    if (inner === undefined || inner.status === 'ended') continue
    const below = await requestsOf(ports, inner.id, [...path, call.tool])
    approvals.push(...below.approvals)
    clientCalls.push(...below.clientCalls)
    inDoubt.push(...below.inDoubt)
  }
  return { approvals, clientCalls, inDoubt }
}
