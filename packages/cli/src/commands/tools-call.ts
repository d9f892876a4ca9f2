import type { CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit.ts'
import { jsonObjectOption } from '../json-option.ts'
import { callResultJson } from '../output/call-result-json.ts'
import { runJson } from '../output/run-json.ts'
import { runText } from '../output/run-text.ts'
import { escapeHiddenInJson } from '../output/visible-text.ts'
import { assembleNamedAgent } from '../run/assemble-named-agent.ts'
import { conductRun } from '../run/conduct-run.ts'
import { exitCodeOf, tellFaults } from '../run/finish-run.ts'
import { callExit, recordedCall } from '../run/recorded-call.ts'
import { runView } from '../run/run-view.ts'
import { startedWithJson } from '../started-with.ts'
import { openStore } from '../store-location.ts'
import type { ToolsOptions } from './tools-list.ts'

/** `fairlead tools call NAME`: one call by the person at the command line, down the same pipeline as a model's. */
export async function toolsCallCommand(
  name: string,
  options: ToolsOptions & { readonly args: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { output, principal, environment } = context
  const args = jsonObjectOption('--args', options.args, '{"service": "checkout"}')
  const assembled = await assembleNamedAgent(options, context, { needsModel: false })
  await using opened = await openStore(context.store)
  const { store } = opened
  const agent = assembled.agent.with({ store })
  const startedWith = startedWithJson(assembled.startedWith)
  const run = await conductRun(agent, context, {
    mayAsk: true,
    tellsFailureOf: () => true,
    start: (signal) => agent.call(name, args, { principal, environment, signal, startedWith }),
  })
  const recorded = await recordedCall(run.result.runId, store)
  const result = recorded === undefined ? null : callResultJson(recorded.call, recorded.data)
  const view = await runView(run.result, assembled.config, { store, output })
  if (recorded !== undefined && recorded.data !== null) {
    output.result(escapeHiddenInJson(JSON.stringify(recorded.data, null, 2)))
  }
  output.result(runText(view, context, run.shown))
  output.document({ ...runJson(view), result })
  await tellFaults(run.result, view, { store, context })
  return callExit(recorded, exitCodeOf(run.result), output)
}
