import type { Approval, CallRecord } from '@fairlead/runtime/core'
import { argumentRows, type Row } from './argument-rows.ts'
import { settledState } from './call-line.ts'
import type { Colours } from './colours.ts'
import { relativeTime } from './relative-time.ts'
import { rfc3339 } from './rfc3339.ts'
import { issueLine, visibleLine } from './visible-text.ts'

function reversibleText(reversible: Approval['reversible']): string {
  if (reversible === null) return 'not stated'
  return typeof reversible === 'string' ? reversible : `by ${visibleLine(reversible.by)}`
}

/** What became of a request, as one sentence; with `now` also how long a pending one stands. */
export function settlementText(approval: Approval, now?: number): string {
  const when = approval.decidedAt === null ? '' : ` at ${rfc3339(approval.decidedAt)}`
  const by = approval.decidedBy === null ? '' : ` by ${visibleLine(approval.decidedBy)}`
  const reason = approval.reason === null ? '' : `: ${visibleLine(approval.reason)}`
  switch (approval.status) {
    case 'pending':
      return `pending, expires ${rfc3339(approval.expiresAt)}${now === undefined ? '' : ` (${relativeTime(approval.expiresAt, now)})`}`
    case 'approved':
    case 'denied':
      return `${approval.status}${by}${when}${reason}`
    case 'expired':
      return `expired at ${rfc3339(approval.expiresAt)}`
    case 'superseded':
      return `superseded${when}: the call changed and was asked again`
    default:
      return approval.status satisfies never
  }
}

/** Who wants a person to decide: `contract`, `policy:<rule>` and `middleware:<name>` as a person says it. */
function askerText(askedBy: string): string {
  if (askedBy === 'contract') return "the tool's contract"
  const [, kind, name] = /^(policy|middleware):(.+)$/s.exec(askedBy) ?? []
  if (name === undefined) return visibleLine(askedBy)
  return kind === 'policy' ? `policy rule ${visibleLine(name)}` : `middleware ${visibleLine(name)}`
}

/** Yellow only where a person is still asked. */
function markOf(status: Approval['status'], colours: Colours): string {
  switch (status) {
    case 'pending':
      return colours.yellow('?')
    case 'approved':
      return colours.green('✓')
    case 'denied':
      return colours.red('✗')
    case 'expired':
    case 'superseded':
      return colours.dim('-')
    default:
      return status satisfies never
  }
}

/** Where a call stands after its request was settled, and its result when it has one. */
function outcomeText(call: CallRecord): string {
  const { result } = call
  if (result === null) return `${settledState(call)}, no result yet`
  const code = result.errorCode === null ? '' : `${visibleLine(result.errorCode)}: `
  return `${settledState(call)}, ${code}${issueLine(result.summary, 300)}`
}

function settledRows(approval: Approval, call: CallRecord | undefined): readonly Row[] {
  const rows: Row[] = [
    ['run', approval.runId],
    ['call', approval.callId],
  ]
  if (call !== undefined) rows.push(['outcome', outcomeText(call)])
  return rows
}

/**
 * A request as a person needs it to decide: what would run, with what, why, and what it means; for a settled one also
 * where it belongs and what became of `call`. The model's reason is left out where `justRead`, the text before the
 * card, begins with it.
 */
export function approvalCard(
  approval: Approval,
  colours: Colours,
  beside: { readonly justRead?: string; readonly now?: number; readonly call?: CallRecord | undefined } = {},
): string {
  const { modelReason } = approval
  const { justRead = '', now, call } = beside
  const title = `${colours.bold(visibleLine(approval.tool))} version ${visibleLine(approval.version)}`
  const rows: Row[] = [
    ['request', approval.id],
    ['status', settlementText(approval, now)],
  ]
  if (approval.status !== 'pending') rows.push(...settledRows(approval, call))
  const reversible = reversibleText(approval.reversible)
  rows.push(['effects', `${approval.effects}, risk ${approval.risk}, reversible: ${reversible}`])
  if (approval.impact !== null) rows.push(['impact', visibleLine(approval.impact)])
  if (modelReason !== null && !justRead.startsWith(modelReason.slice(0, 80))) {
    rows.push(['model says', visibleLine(modelReason, 500)])
  }
  rows.push(['required by', askerText(approval.askedBy)])
  if (approval.askReason !== null) rows.push(['because', visibleLine(approval.askReason, 500)])
  rows.push(...argumentRows(approval.arguments))
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `  ${colours.dim(name.padEnd(width))}  ${value}`.trimEnd())
  return [`${markOf(approval.status, colours)} ${title}`, ...lines].join('\n')
}
