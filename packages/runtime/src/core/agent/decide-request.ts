import {
  decideApproval,
  faultOfAnswer,
  type ApprovalAnswer,
  type ApprovalVerdict,
} from '../approval/decide-approval.ts'
import type { Tool } from '../tool/tool.ts'
import type { AgentPorts } from './default-ports.ts'

const noTools: ReadonlyMap<string, Tool> = new Map()

/**
 * Records one answer to a request, its arguments checked against the agent's own tools. Tools of an agent inside a call
 * are known to that agent alone: what it asked is answered as it was asked.
 */
export async function decideRequest(
  { store, stages }: AgentPorts,
  tools: ReadonlyMap<string, Tool>,
  answer: ApprovalAnswer,
): Promise<ApprovalVerdict> {
  // What is no answer at all is refused before anything is looked for.
  const known = faultOfAnswer(answer) === null ? await store.approvals.get(answer.id) : undefined
  const run = known === undefined ? undefined : await store.journal.run(known.runId)
  const isInside = run !== undefined && run.parent !== null
  return decideApproval(store, answer, { ...stages, tools: isInside ? noTools : tools })
}
