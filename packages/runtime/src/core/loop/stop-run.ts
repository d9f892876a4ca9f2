import type { RunPatch } from './run-patch.ts'
import { workedMs, type LoopSetup } from './loop-setup.ts'
import { keepsRunOpen, type StopReason } from './stop-reason.ts'

/**
 * Writes how the run stopped, with whatever was not written yet, and names the reason. Where middleware around the run
 * sees its end first, the end is only noted.
 */
export async function stopRun(setup: LoopSetup, reason: StopReason, patch: RunPatch = {}): Promise<StopReason> {
  if (setup.ending.isHeld && !keepsRunOpen(reason)) setup.ending.held = { reason, patch }
  else await setup.writer.commit({ run: withStop(setup, reason, patch) })
  return reason
}

/** A patch and the stop in one. Not by spreading: V8 makes a new hidden class for every object spread from two. */
export function withStop(setup: LoopSetup, reason: StopReason, patch: RunPatch): RunPatch {
  return Object.assign({}, patch, stopPatch(setup, reason, patch))
}

/** What a stop changes on the run's record. */
export function stopPatch(setup: LoopSetup, reason: StopReason, patch: RunPatch = {}): RunPatch {
  const worked = workedMs(setup)
  if (keepsRunOpen(reason)) return { status: 'suspended', stopReason: reason, workedMs: worked }
  return {
    status: 'ended',
    stopReason: reason,
    workedMs: worked,
    endedAt: setup.pipeline.ports.clock.now(),
    ...(isHeldToTheEnd(reason, setup, patch.turns ?? setup.writer.run.turns) ? {} : { conversationId: null }),
  }
}

/**
 * True where a provider that holds the history has all of it. It may end in calls nobody answered there, so only from an
 * answer, or from a question of its own, is gone on; and what was said without asking its model it has not heard.
 */
function isHeldToTheEnd(reason: StopReason, { model }: LoopSetup, turns: number): boolean {
  return (reason === 'answered' || reason === 'hosted_approval_required') && model !== null && turns > 0
}
