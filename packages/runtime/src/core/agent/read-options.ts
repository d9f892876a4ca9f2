import { keepPairs } from '../content/keep-pairs.ts'
import type { ToolChoice } from '../chat/chat-client.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { HistoryHook } from '../loop/history-hook.ts'
import type { ToolSet } from '../tool/run-tools.ts'

/** Instructions of the agent and of the run, one after the other. */
export function joined(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined ? other : other === undefined ? one : `${one}\n\n${other}`
}

/** The compaction gets what the history gave, halves of pairs taken out in between. */
export function bothHistories(
  history: HistoryHook | undefined,
  compaction: HistoryHook | undefined,
): HistoryHook | null {
  if (history === undefined || compaction === undefined) return history ?? compaction ?? null
  return async (messages) => compaction(keepPairs(await history(messages), messages))
}

/** Throws `INVALID_OPTION` for what is no chat client. */
export function requireModel(model: unknown): void {
  if (typeof model === 'object' && model !== null && 'generate' in model && typeof model.generate === 'function') return
  const found = typeof model === 'string' ? JSON.stringify(model) : typeof model
  throw new FairleadError(
    'INVALID_OPTION',
    `model must be a chat client with a generate method, for example fromAiSdk(openai('gpt-5.1')); found ${found}.`,
  )
}

/** Throws `INVALID_OPTION` for what is no choice between the tools there are. */
export function readToolChoice(choice: ToolChoice, { advertised }: ToolSet): ToolChoice {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  const name: unknown = typeof choice === 'object' && choice !== null ? choice.tool : choice
  if (typeof name === 'string' && advertised.has(name)) return { tool: name }
  const known = [...advertised.keys()].join(', ') || 'no tools'
  throw new FairleadError(
    'INVALID_OPTION',
    `toolChoice must be "auto", "none", "required" or { tool: name } with one of ${known}; found ${JSON.stringify(choice)}.`,
  )
}

export function requireAnyModel(agent: { readonly name: string; readonly model: unknown }): void {
  if (agent.model !== undefined) return
  throw new FairleadError('INVALID_OPTION', `Agent "${agent.name}" has no model. Give it one: new Agent({ model, … }).`)
}
