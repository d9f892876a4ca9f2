import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import { goAhead } from '../call/stage.ts'
import type { Opened } from '../call/stage-ports.ts'
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
    const approval = verdict.kind === 'ask' && call !== undefined ? await grant(setup, call, verdict.approval) : null
    if (approval === null || call?.tool === null || call === undefined) judged.push(verdict)
    else {
      granted.push(approval)
      judged.push(goAhead(call.tool))
    }
  }
  return { opened: judged, granted: granted.length === 0 ? none : granted }
}

/** The request as a rule granted it, the call approved by it; `null` when a person has to be asked. */
export async function grant(setup: LoopSetup, call: LiveCall, approval: Approval): Promise<Approval | null> {
  if (call.tool === null) return null
  const consent = await setup.consult(approval, call.handOut(), call.tool.contract)
  if (consent === null || call.state !== 'NeedsApproval') return null
  const at = setup.pipeline.ports.clock.now()
  call.move('Approved', at, { approval: approval.id, by: consent.by })
  const granted: Approval = { ...approval, status: 'approved', decidedBy: consent.by, decidedAt: at }
  call.consents = [...call.consents, granted]
  return granted
}
