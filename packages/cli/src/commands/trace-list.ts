import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { noStoreText } from '../not-in-store.ts'
import { rfc3339 } from '../output/rfc3339.ts'
import { table } from '../output/table.ts'
import { callCountText } from '../output/trace-text.ts'
import { runRecordJson, type CountedRun } from '../output/trace-json.ts'
import { visibleLine } from '../output/visible-text.ts'
import { openExistingStore } from '../store-location.ts'

function runsTable(runs: readonly CountedRun[]): string {
  const rows = runs.map(({ run, callsProposed }) => [
    run.id,
    run.status,
    run.stopReason ?? '-',
    rfc3339(run.startedAt),
    callCountText({ run, callsProposed }),
    visibleLine(run.agent),
    visibleLine(run.principal.id),
  ])
  return table(['RUN', 'STATUS', 'STOPPED', 'STARTED', 'CALLS', 'AGENT', 'USER'], rows)
}

/** `fairlead trace list`: the newest runs first. */
export async function traceListCommand(limit: number, context: CommandContext): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const runs: CountedRun[] = []
  if (opened !== undefined) {
    const { journal } = opened.store
    for (const run of await journal.runs({ limit })) {
      runs.push({ run, callsProposed: (await journal.calls(run.id)).length })
    }
  }
  output.document({ items: runs.map(runRecordJson) })
  if (opened === undefined) output.missing(noStoreText(context.store))
  else output.result(runs.length === 0 ? 'There are no runs yet.' : runsTable(runs))
  return exitCode.ok
}
