import type { CallRecord } from '@fairlead/runtime/core'
import { doubtOf } from './calls-in-doubt.ts'
import { settlementText } from './approval-card.ts'
import { argumentsText, latencyText } from './call-line.ts'
import type { Colours } from './colours.ts'
import { rfc3339 } from './rfc3339.ts'
import type { CountedRun } from './trace-json.ts'
import type { Trace } from './trace.ts'
import { issueLine, visibleLine } from './visible-text.ts'

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

function markOf({ result, state }: CallRecord, colours: Colours): string {
  if (state === 'Unknown') return colours.red('!')
  if (result === null) return colours.yellow('…')
  return result.status === 'success' ? colours.green('✓') : colours.red('✗')
}

function callText(call: CallRecord, { run, approvals, thrown }: Trace, colours: Colours): string {
  const { result } = call
  const rows: Row[] = [
    ['arguments', argumentsText(call, 400)],
    ['risk', `${call.risk}, effects ${call.effects}, origin ${visibleLine(call.origin)}`],
  ]
  if (call.modelReason !== null) rows.push(['reason', visibleLine(call.modelReason, 200)])
  if (call.decision !== null) {
    const rules = call.decision.rules.length === 0 ? '' : ` (${visibleLine(call.decision.rules.join(', '))})`
    rows.push(['decision', `${call.decision.effect}${rules}`])
  }
  for (const approval of approvals) {
    if (approval.callId === call.id) rows.push(['approval', `${visibleLine(approval.id)}: ${settlementText(approval)}`])
  }
  rows.push(['steps ms', timeline(call, run.startedAt)])
  const doubt = doubtOf(call)
  if (doubt !== null) rows.push(['in doubt', `it may have taken effect: ${issueLine(doubt, 300)}`])
  if (result !== null) {
    const code = result.errorCode === null ? '' : `${visibleLine(result.errorCode)}: `
    rows.push(['result', `${code}${issueLine(result.summary, 300)}`])
    const text = thrown.get(call.id)
    if (text !== undefined) rows.push(['thrown', visibleLine(text, 500)])
    if (result.evidenceUri !== null) rows.push(['evidence', visibleLine(result.evidenceUri)])
  }
  const latency = call.latencyMs === null ? 'not executed' : latencyText(call.latencyMs)
  const tokens = call.observationTokens === null ? '' : `, ${call.observationTokens} observation tokens`
  rows.push(['latency', `${latency}, attempts ${call.attempts}${tokens}`])
  const title = `${markOf(call, colours)} ${colours.bold(visibleLine(call.tool))} version ${visibleLine(call.version ?? 'none')}  ${call.state}  ${colours.dim(call.id)}`
  return [title, ...rowsText(rows, colours)].join('\n')
}

/** A run and its calls for a person. */
export function traceText(trace: Trace, colours: Colours): string {
  const { run, calls } = trace
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
  return [head, ...calls.map((call) => callText(call, trace, colours))].join('\n\n')
}
