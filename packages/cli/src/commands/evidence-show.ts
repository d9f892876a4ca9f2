import type { CommandContext } from '../command-context.ts'
import { exitCode, usageFailure, type ExitCode } from '../exit.ts'
import { notInStore } from '../not-in-store.ts'
import { rfc3339 } from '../output/rfc3339.ts'
import { escapeHiddenInJson } from '../output/visible-text.ts'
import { openExistingStore } from '../store-location.ts'

/** `fairlead evidence show URI`: the full recorded result of a call. */
export async function evidenceShowCommand(uri: string, context: CommandContext): Promise<ExitCode> {
  const { output } = context
  if (!/^evidence:\/\/[^/]+\/[^/]+$/.test(uri)) {
    throw usageFailure(`Evidence is named evidence://RUN/CALL, as trace show prints it; found ${JSON.stringify(uri)}.`)
  }
  await using opened = await openExistingStore(context.store)
  const evidence = await opened?.store.evidence.get(uri)
  if (evidence === undefined) throw notInStore(`evidence at ${uri}`, context.store, opened)
  output.note(output.colours.dim(`${evidence.uri}, kept ${rfc3339(evidence.at)}`))
  output.result(escapeHiddenInJson(JSON.stringify(evidence.value, null, 2)))
  output.document({
    uri: evidence.uri,
    runId: evidence.runId,
    callId: evidence.callId,
    at: rfc3339(evidence.at),
    value: evidence.value,
  })
  return exitCode.ok
}
