import type { Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { ruleText } from '../output/rule-text.ts'

/** Says by which rule a request is remembered, if it is, and how to take that back. */
export async function tellRemembered(
  approvalId: string,
  tool: string,
  store: Store,
  context: CommandContext,
): Promise<void> {
  const { output, host } = context
  const rule = (await store.rules.list({ tool })).findLast((known) => known.approvalId === approvalId)
  if (rule === undefined) return
  const revoke = context.commandFor(['approvals', 'rules', 'revoke', rule.id])
  output.note(`Approved from now on: ${ruleText(rule, host.clock.now())}. To end that: ${revoke}`)
}
