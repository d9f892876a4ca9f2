import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import { answered, goAhead, patienceOf } from '../call/stage.ts'
import type { Opened } from '../call/stage-ports.ts'
import { withinRun } from '../call/within-run.ts'
import type { LoopSetup } from './loop-setup.ts'

/** Verdicts on a batch once rules were asked, and the requests they granted, still to be written. */
export type Granted = { readonly opened: readonly Opened[]; readonly granted: readonly Approval[] }

const none: readonly Approval[] = []

/** Puts every request of a batch to the rules before a person sees it. */
export async function grantApprovals(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  opened: readonly Opened[],
): Promise<Granted> {
  const granted: Approval[] = []
  const judged: Opened[] = []
  for (const [index, verdict] of opened.entries()) {
    const call = calls[index]
    if (verdict.kind !== 'ask' || call?.tool === undefined || call.tool === null) {
      judged.push(verdict)
      continue
    }
    const approval = await grantOrCancel(setup, call, verdict.approval)
    if (approval === 'cancelled') judged.push(answered)
    else if (approval === null) judged.push(verdict)
    else {
      granted.push(approval)
      judged.push(goAhead(call.tool))
    }
  }
  return { opened: judged, granted: granted.length === 0 ? none : granted }
}

/** {@link grant} for a request nobody has seen yet: where the run ends while its rules are asked, so does the call. */
export async function grantOrCancel(
  setup: LoopSetup,
  call: LiveCall,
  approval: Approval,
): Promise<Approval | 'cancelled' | null> {
  const { pipeline } = setup
  const granted = await grant(setup, call, approval)
  const isOver = pipeline.scope.fan.aborted || (pipeline.scope.remainingMs() ?? 2) <= 1
  if (granted !== null || !isOver || call.state !== 'NeedsApproval') return granted
  call.note({ approvalId: null })
  await pipeline.cancel(call, 'The run was over before the call was decided.')
  return 'cancelled'
}

/** The request as a rule granted it, the call approved by it; `null` when a person has to be asked. */
export async function grant(setup: LoopSetup, call: LiveCall, approval: Approval): Promise<Approval | null> {
  const { tool } = call
  if (tool === null) return null
  // Rules are the host's code: none of them outlasts the run.
  const waited = await withinRun(setup.consult(approval, call.handOut(), tool.contract), patienceOf(setup.pipeline))
  if (waited.kind === 'failed') throw waited.error
  const consent = waited.kind === 'done' ? waited.value : null
  if (consent === null || call.state !== 'NeedsApproval') return null
  const at = setup.pipeline.ports.clock.now()
  call.move('Approved', at, { approval: approval.id, by: consent.by })
  const granted: Approval = { ...approval, status: 'approved', decidedBy: consent.by, decidedAt: at }
  call.consents = [...call.consents, granted]
  return granted
}
