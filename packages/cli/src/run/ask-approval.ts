import type { Approval } from '@fairlead/runtime/core'
import type { Output } from '../output/output.ts'
import { visibleLine } from '../output/visible-text.ts'
import type { Terminal } from '../terminal.ts'
import { leftTerminal, terminalQuestion, type Key, type Press } from './terminal-question.ts'

/** What a person said to a request on the terminal. */
export type TerminalAnswer =
  | { readonly kind: 'approve'; readonly remember: 'tool' | 'arguments' | null }
  | { readonly kind: 'edit' }
  | { readonly kind: 'deny'; readonly reason: string }
  /** Left open, and on to the next one. */
  | { readonly kind: 'skip' }
  /** Left open, as is all that would be asked after it. */
  | { readonly kind: 'leave' }

/** What a request may be answered with beside yes and no. */
export type Offer = { readonly remember: boolean; readonly edit: boolean }

type Choice = 'skip' | 'approve' | 'tool' | 'arguments' | 'edit' | 'deny'

type Line = { readonly value: Choice; readonly label: string; readonly letters: readonly string[] }

/** Enter alone skips: a key that was pressed too long approves nothing. */
function linesFor(tool: string, offer: Offer): readonly Line[] {
  const always: readonly Line[] = [
    { value: 'tool', label: `Always approve ${tool} in this conversation (t)`, letters: ['t'] },
    { value: 'arguments', label: 'Always approve it with these arguments in this conversation (g)', letters: ['g'] },
  ]
  return [
    { value: 'skip', label: 'Skip for now (s)', letters: ['s', 'l'] },
    { value: 'approve', label: 'Approve (a or y)', letters: ['a', 'y'] },
    ...(offer.remember ? always : []),
    ...(offer.edit ? [{ value: 'edit', label: 'Edit the arguments, then approve (e)', letters: ['e'] } as const] : []),
    { value: 'deny', label: 'Deny, with a reason (d or n)', letters: ['d', 'n'] },
  ]
}

// The keys the list itself moves by, beside the arrows.
const upKeys: readonly string[] = ['up', 'left', 'k', 'h']
const downKeys: readonly string[] = ['down', 'right', 'j', 'l']

/** Lets a letter choose: moves the list's mark to its line and confirms it, so that what is shown is what was chosen. */
function chooseByLetter(lines: readonly Line[]): (key: Key, press: Press) => void {
  let line = 0
  const move = (by: number): void => {
    line = (line + by + lines.length) % lines.length
  }
  return ({ name = '', ctrl }, press) => {
    if (upKeys.includes(name)) move(-1)
    if (downKeys.includes(name)) move(1)
    const target = lines.findIndex(({ letters }) => letters.includes(name))
    if (target === -1 || ctrl === true) return
    while (line !== target) {
      move(1)
      press('down')
    }
    press('return')
  }
}

/** Asks about a request that was shown. Escape skips; leaving the terminal leaves it open. Neither is ever a yes. */
export async function askApproval(
  approval: Pick<Approval, 'tool'>,
  offer: Offer,
  asking: { readonly terminal: Terminal; readonly output: Output; readonly signal: AbortSignal },
): Promise<TerminalAnswer> {
  const { terminal, output, signal } = asking
  const { isPlain } = output.colours
  const prompts = await import('@clack/prompts')
  const tool = visibleLine(approval.tool)
  const lines = linesFor(tool, offer)
  const chosen = await terminalQuestion(terminal, {
    ask: (streams) =>
      prompts.select({
        message: `Run ${tool} with these arguments?`,
        options: lines.map(({ value, label }) => ({ value, label })),
        ...streams,
      }),
    onKey: chooseByLetter(lines),
    isPlain,
    signal,
  })
  if (chosen === leftTerminal) return { kind: 'leave' }
  // Escape gives a symbol of the list's own.
  if (typeof chosen === 'symbol') return { kind: 'skip' }
  switch (chosen) {
    case 'skip':
    case 'edit':
      return { kind: chosen }
    case 'approve':
      return { kind: 'approve', remember: null }
    case 'tool':
    case 'arguments':
      return { kind: 'approve', remember: chosen }
    case 'deny':
      return askReason(asking)
    default:
      return chosen satisfies never
  }
}

async function askReason({
  terminal,
  output,
  signal,
}: {
  readonly terminal: Terminal
  readonly output: Output
  readonly signal: AbortSignal
}): Promise<TerminalAnswer> {
  const prompts = await import('@clack/prompts')
  const reason = await terminalQuestion(terminal, {
    ask: (streams) =>
      prompts.text({
        message: 'Why not? The model is told.',
        placeholder: 'reason',
        validate: (text) =>
          text === undefined || text.trim() === '' ? 'Say why, or press Escape to decide later.' : undefined,
        ...streams,
      }),
    isPlain: output.colours.isPlain,
    signal,
  })
  if (typeof reason === 'string') return { kind: 'deny', reason: reason.trim() }
  output.result('The denial is not recorded: it has no reason.')
  return { kind: reason === leftTerminal ? 'leave' : 'skip' }
}
