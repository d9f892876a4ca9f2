import { isInForce, type StandingRule } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { noStoreText } from '../not-in-store.ts'
import { ruleJson } from '../output/rule-json.ts'
import { ruleEndText } from '../output/rule-text.ts'
import { table } from '../output/table.ts'
import { visibleLine } from '../output/visible-text.ts'
import { openExistingStore } from '../store-location.ts'

function scopeText({ scope }: StandingRule): string {
  return scope.kind === 'session' ? `conversation ${scope.sessionId}` : `user ${scope.principalId}`
}

function rulesTable(rules: readonly StandingRule[], now: number): string {
  const rows = rules.map((rule) => [
    rule.id,
    visibleLine(rule.tool),
    visibleLine(scopeText(rule)),
    visibleLine(rule.askedBy),
    visibleLine(rule.createdBy),
    ruleEndText(rule, now),
    rule.arguments === null ? 'any' : visibleLine(JSON.stringify(rule.arguments), 80),
  ])
  return table(['RULE', 'TOOL', 'COUNTS FOR', 'ASKED BY', 'MADE BY', 'STANDS', 'ARGUMENTS'], rows)
}

/** `fairlead approvals rules list`: what is approved without asking again, oldest first; with `all` also what was. */
export async function rulesListCommand(
  { all = false }: { readonly all?: boolean | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const now = context.host.clock.now()
  const known = opened === undefined ? [] : await opened.store.rules.list()
  const rules = all ? known : known.filter((rule) => isInForce(rule, now))
  output.document({ items: rules.map((rule) => ruleJson(rule, now)) })
  if (opened === undefined) output.missing(noStoreText(context.store))
  else if (rules.length > 0) output.result(rulesTable(rules, now))
  else output.result(all ? 'There are no standing rules.' : 'No standing rule is in force: every request asks.')
  return exitCode.ok
}
