import type { CallRecord } from '@fairlead/runtime/core'
import type { Colours } from './colours.ts'
import { issueLine, visibleLine } from './visible-text.ts'

const argumentsLimit = 100
const summaryLimit = 120

/** Milliseconds the way a person reads them. */
export function latencyText(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}

/** A call's arguments on one short, harmless line. */
export function argumentsText(call: CallRecord, limit: number = argumentsLimit): string {
  return visibleLine(call.arguments === null ? call.rawArguments : JSON.stringify(call.arguments), limit)
}

/** The state a call settled in: the step before the model was told of it. */
export function settledState(call: CallRecord): string {
  const last = call.transitions.findLast(({ state }) => state !== 'Observed')
  return last?.state ?? call.state
}

/** One settled call on one line: mark, tool, arguments, state, latency, summary. */
export function settledCallLine(
  call: CallRecord,
  colours: Colours,
  { saysWhy = true }: { readonly saysWhy?: boolean } = {},
): string {
  const { result } = call
  const good = result?.status === 'success'
  const mark = good ? colours.green('✓') : colours.red('✗')
  const state = good ? settledState(call) : colours.red(result?.errorCode ?? settledState(call))
  const fields = [`${mark} ${colours.bold(visibleLine(call.tool))} ${colours.dim(argumentsText(call))}`, state]
  if (call.latencyMs !== null) fields.push(latencyText(call.latencyMs))
  if (result !== null && result.summary !== '' && (good || saysWhy))
    fields.push(issueLine(result.summary, summaryLimit))
  return fields.join('  ')
}

/** A call that waits for a person. */
export function waitingCallLine(call: CallRecord, colours: Colours): string {
  return `${colours.yellow('?')} ${colours.bold(visibleLine(call.tool))} ${colours.dim(argumentsText(call))}  ${colours.yellow('needs approval')}`
}

/** A call that waits for its result from the host. */
export function clientCallLine(call: CallRecord, colours: Colours): string {
  return `${colours.yellow('?')} ${colours.bold(visibleLine(call.tool))} ${colours.dim(argumentsText(call))}  ${colours.yellow('needs its result from you')}`
}

/** A call that has begun, for a terminal where its end may take a while. */
export function startedCallLine(call: CallRecord, colours: Colours): string {
  return colours.dim(`→ ${visibleLine(call.tool)} ${argumentsText(call)}`)
}

/** A call of which it is not known whether it took effect. */
export function uncertainCallLine(call: CallRecord, colours: Colours): string {
  return `${colours.red('!')} ${colours.bold(visibleLine(call.tool))} ${colours.dim(argumentsText(call))}  ${colours.red('in doubt: it may have taken effect')}`
}
