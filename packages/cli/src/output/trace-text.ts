import type { CallRecord, RunRecord } from '@fairlead/runtime/core'
import { argumentsText, latencyText } from './call-line.ts'
import type { Colours } from './colours.ts'
import { rfc3339 } from './rfc3339.ts'
import type { CountedRun } from './trace-json.ts'
import { visibleLine } from './visible-text.ts'

type Row = readonly [string, string]

/** How many calls a run made: one number, or both where some were proposed and never executed. */
export function callCountText({ run, callsProposed }: CountedRun): string {
  return run.calls === callsProposed ? String(run.calls) : `${run.calls} executed of ${callsProposed} proposed`
}

function rowsText(rows: readonly Row[], colours: Colours): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${colours.dim(name.padEnd(width))}  ${value}`)
}

/** The steps of a call with the milliseconds since its run started. */
function timeline(call: CallRecord, startedAt: number): string {
  return call.transitions.map(({ state, at }) => `${state} +${at - startedAt}`).join(' → ')
}

function callText(call: CallRecord, startedAt: number, colours: Colours): string {
  const { result } = call
  const mark =
    result === null ? colours.yellow('…') : result.status === 'success' ? colours.green('✓') : colours.red('✗')
  const rows: Row[] = [
    ['arguments', argumentsText(call, 400)],
    ['risk', `${call.risk}, effects ${call.effects}, origin ${visibleLine(call.origin)}`],
  ]
  if (call.modelReason !== null) rows.push(['reason', visibleLine(call.modelReason, 200)])
  if (call.decision !== null) {
    const rules = call.decision.rules.length === 0 ? '' : ` (${visibleLine(call.decision.rules.join(', '))})`
    rows.push(['decision', `${call.decision.effect}${rules}`])
  }
  rows.push(['steps ms', timeline(call, startedAt)])
  if (result !== null) {
    const code = result.errorCode === null ? '' : `${visibleLine(result.errorCode)}: `
    rows.push(['result', `${code}${visibleLine(result.summary, 300)}`])
    if (result.evidenceUri !== null) rows.push(['evidence', visibleLine(result.evidenceUri)])
  }
  const latency = call.latencyMs === null ? 'not executed' : latencyText(call.latencyMs)
  const tokens = call.observationTokens === null ? '' : `, ${call.observationTokens} observation tokens`
  rows.push(['latency', `${latency}, attempts ${call.attempts}${tokens}`])
  const title = `${mark} ${colours.bold(visibleLine(call.tool))} version ${visibleLine(call.version ?? 'none')}  ${call.state}  ${colours.dim(call.id)}`
  return [title, ...rowsText(rows, colours)].join('\n')
}

/** A run and its calls for a person. */
export function traceText(run: RunRecord, calls: readonly CallRecord[], colours: Colours): string {
  const roles = run.principal.roles === undefined ? '' : ` (${run.principal.roles.join(', ')})`
  const rows: Row[] = [
    ['trace', run.traceId],
    ['session', visibleLine(run.sessionId)],
    ['user', `${visibleLine(`${run.principal.id}${roles}`)} in ${visibleLine(run.environment)}`],
    ['agent', visibleLine(run.agent)],
    ['started', rfc3339(run.startedAt)],
    ['ended', run.endedAt === null ? `not yet (${run.status})` : `${rfc3339(run.endedAt)}`],
    ['stopped', run.stopReason ?? 'not yet'],
    [
      'turns',
      `${run.turns}, calls ${callCountText({ run, callsProposed: calls.length })}, tokens ${run.usage.inputTokens} in, ${run.usage.outputTokens} out`,
    ],
  ]
  if (run.error !== null) rows.push(['error', visibleLine(run.error, 300)])
  const head = [colours.bold(`Run ${run.id}`), ...rowsText(rows, colours)].join('\n')
  return [head, ...calls.map((call) => callText(call, run.startedAt, colours))].join('\n\n')
}
