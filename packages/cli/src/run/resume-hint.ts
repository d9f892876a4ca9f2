import type { Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { currentApprovals } from './current-approvals.ts'

/**
 * How to go on with a run whose requests are all settled but which did not end, as after a crash between decision and
 * effect; empty when the run ended or still waits for a person. Whether a claim's process lives cannot be seen from
 * here, so a run that is claimed is told as such.
 */
export async function resumeHint(runId: string, store: Store, context: CommandContext): Promise<string> {
  const { clock } = context.host
  const run = await store.journal.run(runId)
  if (run === undefined || run.status === 'ended') return ''
  const pending = await currentApprovals(store, { clock, status: 'pending', runId })
  if (pending.length > 0) return ''
  const resume = context.commandFor(['resume', runId])
  const claimed = run.lease !== null && run.lease.until > clock.now()
  return claimed
    ? ` A process is working on its run; should that process have died, go on with: ${resume}`
    : ` Its run has not gone on yet; go on with: ${resume}`
}
