import type { CallRecord, CallState, Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { noStoreText } from '../not-in-store.ts'
import { inStateSince, listedCallJson } from '../output/call-json.ts'
import { argumentsText } from '../output/call-line.ts'
import { resolveCommands } from '../output/resolve-commands.ts'
import { rfc3339 } from '../output/rfc3339.ts'
import { table } from '../output/table.ts'
import { visibleLine } from '../output/visible-text.ts'
import { configWords, isForeign } from '../run/config-words.ts'
import { rootRun } from '../run/root-run.ts'
import { openExistingStore } from '../store-location.ts'

/** States of calls that are not over. */
const openStates: readonly CallState[] = [
  'NeedsApproval',
  'Approved',
  'AwaitingClient',
  'Executing',
  'Unknown',
  'Retried',
]

function callsTable(calls: readonly CallRecord[]): string {
  const rows = calls.map((call) => [
    call.id,
    call.state,
    visibleLine(call.tool),
    rfc3339(inStateSince(call)),
    visibleLine(call.principal.id),
    argumentsText(call, 80),
  ])
  return table(['CALL', 'STATE', 'TOOL', 'SINCE', 'USER', 'ARGUMENTS'], rows)
}

/** How a person goes on with calls that wait for one; a paragraph for each kind there is. */
async function adviceFor(
  calls: readonly CallRecord[],
  store: Store,
  context: CommandContext,
): Promise<readonly string[]> {
  const [first, ...others] = calls.filter(({ state }) => state === 'Unknown')
  const advice: string[] = []
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (${others.length} more below it go the same way)`
    const commands = resolveCommands(
      { callId: first.id, isAnswered: first.result !== null, isForeign: await isOfForeignRun(first, store) },
      context,
    )
    advice.push(
      `In doubt: look at what ${visibleLine(first.tool)} changes${more}, then say what you found.\n${commands}`,
    )
  }
  if (calls.some(({ state }) => state === 'NeedsApproval'))
    advice.push(`To decide what needs approval: ${context.commandFor(['approvals', 'list'])}`)
  const client = calls.find(({ state }) => state === 'AwaitingClient')
  if (client !== undefined) {
    const config = configWords(await isOfForeignRun(client, store), context)
    const answer = context.commandFor(['calls', 'answer', client.id, '--result', '"the result as JSON"', ...config])
    advice.push(`To give a call its result: ${answer}`)
  }
  return advice
}

async function isOfForeignRun({ runId }: CallRecord, store: Store): Promise<boolean> {
  const run = await store.journal.run(runId)
  return run !== undefined && isForeign((await rootRun(run, store)).root)
}

/** `fairlead calls list`: the calls of every run that are in one of these states, those of the newest run first. */
export async function callsListCommand(
  { state: states }: { readonly state?: readonly CallState[] | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const calls = opened === undefined ? [] : await opened.store.journal.callsInState(states ?? openStates)
  output.document({ items: calls.map(listedCallJson) })
  if (opened === undefined) output.missing(noStoreText(context.store))
  else if (calls.length === 0) output.result(states === undefined ? 'No call is open.' : 'There are no such calls.')
  else output.result([callsTable(calls), ...(await adviceFor(calls, opened.store, context))].join('\n\n'))
  return exitCode.ok
}
