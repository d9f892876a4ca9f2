import type { Approval, CallRecord } from '@fairlead/runtime/core'
import type { ApprovalView } from './approval-json.ts'
import { argumentRows, changedArgumentRows, type Row } from './argument-rows.ts'
import { settledState } from './call-line.ts'
import type { Colours } from './colours.ts'
import { relativeTime } from './relative-time.ts'
import { rfc3339 } from './rfc3339.ts'
import { issueLine, visibleLine } from './visible-text.ts'

/** What a card says where a tool's contract is silent. */
const notDeclared = 'not declared'

function reversibleText(reversible: Approval['reversible']): string {
  if (reversible === null) return notDeclared
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
  if (askedBy === 'batch') return 'nobody: it is shown because another call of its turn waits'
  if (askedBy === 'resolution') return 'whoever settled a call in doubt'
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

/** Where a tool comes from and who answers for it. */
function ownerText({ owner, origin }: Approval): string {
  const from = origin === 'local' ? '' : `, from ${visibleLine(origin)}`
  return `${owner === null ? notDeclared : visibleLine(owner)}${from}`
}

/** The arguments, beside what stood in their place where a person changed them or the call was asked about before. */
function argumentsOf(approval: ApprovalView): readonly Row[] {
  const { arguments: asked, edited, before = null } = approval
  if (edited !== null) return changedArgumentRows(asked, edited.arguments, '- as it was asked, + as it was approved')
  if (before !== null) return changedArgumentRows(before, asked, '- as it was asked before, + as it is asked now')
  return argumentRows(asked)
}

/** What a card may show beside the request itself. */
export type BesideCard = {
  /** The text a person read just before. */
  readonly justRead?: string
  readonly now?: number
  readonly call?: CallRecord | undefined
  /** What a dry run said, line by line; none where there was none. */
  readonly dryRun?: readonly string[]
}

/**
 * A request as a person needs it to decide: what would run, with what, why, and what it means; for a settled one also
 * where it belongs and what became of `call`. The model's reason is left out where `justRead`, the text before the
 * card, begins with it.
 */
export function approvalCard(approval: ApprovalView, colours: Colours, beside: BesideCard = {}): string {
  const { modelReason, path = [] } = approval
  const { justRead = '', now, call, dryRun = [] } = beside
  const title = `${colours.bold(visibleLine(approval.tool))} version ${visibleLine(approval.version)}`
  const rows: Row[] = [
    ['request', approval.id],
    ['status', settlementText(approval, now)],
  ]
  if (approval.status !== 'pending') rows.push(...settledRows(approval, call))
  if (path.length > 0) rows.push(['through', path.map((name) => visibleLine(name)).join(', then ')])
  const effects = approval.effects === 'unknown' ? notDeclared : approval.effects
  rows.push(['owner', ownerText(approval)])
  rows.push(['effects', `${effects}, risk ${approval.risk}, reversible: ${reversibleText(approval.reversible)}`])
  rows.push(['impact', approval.impact === null ? notDeclared : visibleLine(approval.impact)])
  rows.push(...dryRun.map((line, index): Row => [index === 0 ? 'dry run' : '', line]))
  if (modelReason !== null && !justRead.startsWith(modelReason.slice(0, 80))) {
    rows.push(['model says', visibleLine(modelReason, 500)])
  }
  rows.push(['required by', askerText(approval.askedBy)])
  if (approval.askReason !== null) rows.push(['because', visibleLine(approval.askReason, 500)])
  rows.push(...argumentsOf(approval))
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `  ${colours.dim(name.padEnd(width))}  ${value}`.trimEnd())
  return [`${markOf(approval.status, colours)} ${title}`, ...lines].join('\n')
}
