import {
  decideApproval,
  faultOfAnswer,
  type ApprovalAnswer,
  type ApprovalVerdict,
} from '../approval/decide-approval.ts'
import type { Tool } from '../tool/tool.ts'
import type { AgentPorts } from './default-ports.ts'
import { toolsOfRun } from './tools-of-run.ts'

/** Records one answer to a request, its arguments checked against the tools of the agent that asked. */
export async function decideRequest(
  { store, stages }: AgentPorts,
  tools: ReadonlyMap<string, Tool>,
  answer: ApprovalAnswer,
): Promise<ApprovalVerdict> {
  // What is no answer at all is refused before anything is looked for.
  const known = faultOfAnswer(answer) === null ? await store.approvals.get(answer.id) : undefined
  const ofRun = known === undefined ? tools : await toolsOfRun(store, known.runId, tools)
  return decideApproval(store, answer, { ...stages, tools: ofRun })
}
