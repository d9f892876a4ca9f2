import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { notInStore } from '../not-in-store.ts'
import { callsInDoubt } from '../output/calls-in-doubt.ts'
import { resolveCommands } from '../output/resolve-commands.ts'
import { traceJson } from '../output/trace-json.ts'
import { traceText } from '../output/trace-text.ts'
import { visibleLine } from '../output/visible-text.ts'
import { isForeign } from '../run/config-words.ts'
import { readTrace } from '../run/read-trace.ts'
import { rootRun } from '../run/root-run.ts'
import { openExistingStore } from '../store-location.ts'

/** `fairlead trace show RUN`: a run and every step of its calls. */
export async function traceShowCommand(runId: string, context: CommandContext): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const run = await opened?.store.journal.run(runId)
  if (opened === undefined || run === undefined) {
    throw notInStore(`run ${runId}`, context.store, opened, ` See: ${context.commandFor(['trace', 'list'])}`)
  }
  const trace = await readTrace(run, opened.store, context.host.clock)
  output.result(traceText(trace, output.colours))
  const doubtful = callsInDoubt(trace.calls)
  if (doubtful.length > 0) {
    const foreign = isForeign((await rootRun(run, opened.store)).root)
    const commands = doubtful.map(
      (call) =>
        `${visibleLine(call.tool)} ${call.callId}\n${resolveCommands({ ...call, isForeign: foreign }, context)}`,
    )
    output.result(['', 'In doubt; look at what it changes, then say what you found:', ...commands].join('\n'))
  }
  output.document(traceJson(trace))
  return exitCode.ok
}
