import { JournalConflict, type StandingRule } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, requestFailure, usageFailure, type CommandFailure, type ExitCode } from '../exit.ts'
import { notInStore } from '../not-in-store.ts'
import { ruleJson } from '../output/rule-json.ts'
import { ruleEndText, ruleText } from '../output/rule-text.ts'
import { openExistingStore } from '../store-location.ts'

function revokedAlready(rule: StandingRule, now: number): CommandFailure {
  return requestFailure(`Rule ${rule.id} counts no more already: ${ruleEndText(rule, now)}.`)
}

/** `fairlead approvals rules revoke ID`: from now on such calls ask again. Who was first is told to whoever is late. */
export async function rulesRevokeCommand(
  id: string,
  options: { readonly by?: string | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  if (options.by?.trim() === '') throw usageFailure('--by expects a name.')
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const rule = await opened?.store.rules.get(id)
  if (opened === undefined || rule === undefined) {
    const advice = ` See: ${context.commandFor(['approvals', 'rules', 'list', '--all'])}`
    throw notInStore(`standing rule ${id}`, context.store, opened, advice)
  }
  const { store } = opened
  const at = context.host.clock.now()
  if (rule.revokedAt !== null) throw revokedAlready(rule, at)
  try {
    await store.journal.append([{ kind: 'rule-revoked', id, by: options.by ?? context.principal.id, at }])
  } catch (error) {
    if (!(error instanceof JournalConflict)) throw error
    throw revokedAlready((await store.rules.get(id)) ?? rule, at)
  }
  const revoked = (await store.rules.get(id)) ?? rule
  output.result(`Revoked ${id}. Asked about again from now on: ${ruleText({ ...revoked, expiresAt: null }, at)}.`)
  output.document(ruleJson(revoked, at))
  return exitCode.ok
}
