import type { Approval, Json } from '@fairlead/runtime/core'
import type { Colours } from './colours.ts'
import { rfc3339 } from './rfc3339.ts'
import { visibleLine } from './visible-text.ts'

function reversibleText(reversible: Approval['reversible']): string {
  if (reversible === null) return 'not stated'
  return typeof reversible === 'string' ? reversible : `by ${visibleLine(reversible.by)}`
}

/** What became of a request, as one sentence. */
export function settlementText(approval: Approval): string {
  const when = approval.decidedAt === null ? '' : ` at ${rfc3339(approval.decidedAt)}`
  const by = approval.decidedBy === null ? '' : ` by ${visibleLine(approval.decidedBy)}`
  const reason = approval.reason === null ? '' : `: ${visibleLine(approval.reason)}`
  switch (approval.status) {
    case 'pending':
      return `pending, expires ${rfc3339(approval.expiresAt)}`
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

type Row = readonly [string, string]

/** One argument, whole: what is cut off cannot be decided on. A list of texts takes a line for each. */
function argumentRows(name: string, value: Json): readonly Row[] {
  const values: readonly Json[] = Array.isArray(value) && value.length > 0 ? value : [value]
  const texts = values.every((item) => typeof item === 'string') ? values : [JSON.stringify(value)]
  return texts.map((text, index): Row => [index === 0 ? `  ${visibleLine(name)}` : '', visibleLine(text)])
}

/**
 * A request as a person needs it to decide: what would run, with what, why, and what it means. The model's reason is
 * left out where `justRead`, the text before the card, begins with it.
 */
export function approvalCard(approval: Approval, colours: Colours, justRead: string = ''): string {
  const { modelReason } = approval
  const title = `${colours.bold(visibleLine(approval.tool))} version ${visibleLine(approval.version)}`
  const rows: Row[] = [
    ['request', approval.id],
    ['status', settlementText(approval)],
    ['effects', `${approval.effects}, risk ${approval.risk}, reversible: ${reversibleText(approval.reversible)}`],
  ]
  if (approval.impact !== null) rows.push(['impact', visibleLine(approval.impact)])
  if (modelReason !== null && !justRead.startsWith(modelReason.slice(0, 80))) {
    rows.push(['model says', visibleLine(modelReason, 500)])
  }
  rows.push(['asked by', visibleLine(approval.askedBy)])
  rows.push(['arguments', Object.keys(approval.arguments).length === 0 ? 'none' : ''])
  for (const [name, value] of Object.entries(approval.arguments)) rows.push(...argumentRows(name, value))
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `  ${colours.dim(name.padEnd(width))}  ${value}`.trimEnd())
  return [`${colours.yellow('?')} ${title}`, ...lines].join('\n')
}
