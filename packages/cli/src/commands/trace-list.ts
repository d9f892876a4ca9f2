import type { RunRecord } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { rfc3339 } from '../output/rfc3339.ts'
import { table } from '../output/table.ts'
import { runRecordJson } from '../output/trace-json.ts'
import { visibleLine } from '../output/visible-text.ts'
import { openExistingStore } from '../store-location.ts'

function runsTable(runs: readonly RunRecord[]): string {
  const rows = runs.map((run) => [
    run.id,
    run.status,
    run.stopReason ?? '-',
    rfc3339(run.startedAt),
    String(run.calls),
    visibleLine(run.agent),
    visibleLine(run.principal.id),
  ])
  return table(['RUN', 'STATUS', 'STOPPED', 'STARTED', 'CALLS', 'AGENT', 'USER'], rows)
}

/** `fairlead trace list`: the newest runs first. */
export async function traceListCommand(limit: number, context: CommandContext): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const runs = opened === undefined ? [] : await opened.store.journal.runs({ limit })
  output.document({ items: runs.map(runRecordJson) })
  output.result(runs.length === 0 ? 'There are no runs yet.' : runsTable(runs))
  return exitCode.ok
}
