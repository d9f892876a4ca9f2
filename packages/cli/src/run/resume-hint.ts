import { isWorkerGone, type Clock, type RunRecord, type Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { configWords, isForeign } from './config-words.ts'
import { rootRun } from './root-run.ts'
import { waitingUnder } from './waiting-under.ts'

const looks = 10
const betweenLooksMs = 100
const isFreshMs = 5000

/**
 * The run once it was taken up, else as it stands after a second. Whoever settled something goes on with the run a
 * moment later: a look between the two would take a living process for a dead one.
 */
async function runSoon(runId: string, store: Store, clock: Clock): Promise<RunRecord | undefined> {
  let run = await store.journal.run(runId)
  for (let look = 1; look < looks && run?.status === 'suspended'; look += 1) {
    await clock.sleep(betweenLooksMs)
    run = await store.journal.run(runId)
  }
  return run
}

/**
 * How to go on with a run whose requests are all settled but which did not end, as after a crash between decision and
 * effect; empty when the run ended or still waits for somebody. A run whose claim stands goes on where it was claimed:
 * there is nothing to advise until the claim has run out, or its process is surely gone. `at` is when somebody settled something last, `null` when
 * nobody did.
 */
export async function resumeHint(
  settled: { readonly runId: string; readonly at: number | null },
  store: Store,
  context: CommandContext,
): Promise<string> {
  const { clock } = context.host
  const { at } = settled
  const inner = await store.journal.run(settled.runId)
  // What goes on is the run a host started, also where an agent inside one of its calls asked.
  const runId = inner === undefined ? settled.runId : (await rootRun(inner, store)).root.id
  const { approvals, clientCalls } = await waitingUnder(runId, store, clock)
  if (approvals.length + clientCalls.length > 0) return ''
  const isFresh = at !== null && clock.now() - at < isFreshMs
  const run = isFresh ? await runSoon(runId, store, clock) : await store.journal.run(runId)
  if (run === undefined || run.status === 'ended') return ''
  const { lease } = run
  if (lease !== null && lease.until > clock.now() && !isWorkerGone(lease.worker))
    return ' Its run goes on in another process.'
  return ` Its run has not gone on yet; go on with: ${context.commandFor(['resume', runId, ...configWords(isForeign(run), context)])}`
}
