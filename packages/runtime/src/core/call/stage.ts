import { isDeclarationOnly, type Tool } from '../tool/tool.ts'
import { answerCall, type Outcome } from './answer-call.ts'
import type { LiveCall } from './live-call.ts'
import type { RunScope } from './run-scope.ts'
import type { Opened, StagePorts } from './stage-ports.ts'
import type { withinRun } from './within-run.ts'

/** What every stage of the pipeline works with. */
export type Stage = { readonly ports: StagePorts; readonly scope: RunScope }

export const answered: Opened = { kind: 'answered' }
const ready: Opened = { kind: 'ready' }
const client: Opened = { kind: 'client' }

/** Decided: the call may run, or the host answers it itself. */
export function goAhead(tool: Tool): Opened {
  return isDeclarationOnly(tool) ? client : ready
}

/** How long anything may be waited for: as long as the run goes on. */
export function patienceOf({ ports, scope }: Stage): Parameters<typeof withinRun>[1] {
  return { fan: scope.fan, clock: ports.clock, remainingMs: scope.remainingMs() }
}

/** Gives a call that will not run its one answer. */
export function answerWith(call: LiveCall, outcome: Outcome, stage: Stage): Opened | Promise<Opened> {
  const answering = answerCall(call, outcome, stage)
  return answering === undefined ? answered : answering.then(() => answered)
}

/** Why a call is rejected before anybody was asked to approve it. */
export type Rejection = Extract<Outcome, { kind: 'unknown-tool' | 'invalid-arguments' | 'deny' | 'error' | 'refused' }>

/** `by`, where given, names the middleware that rejects. */
export function reject(
  call: LiveCall,
  rejection: Rejection,
  stage: Stage,
  by: string | null = null,
): Opened | Promise<Opened> {
  if (call.state !== 'Rejected') {
    const detail = by === null ? { because: rejection.kind } : { because: rejection.kind, by }
    call.move('Rejected', stage.ports.clock.now(), detail)
  }
  return answerWith(call, rejection, stage)
}

export function rejectUnknown(call: LiveCall, stage: Stage): Opened | Promise<Opened> {
  return reject(call, { kind: 'unknown-tool', known: [...stage.scope.tools.current.callable.keys()] }, stage)
}
