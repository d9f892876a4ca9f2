import type { Approval } from '@fairlead/runtime/core'
import { approvalCard } from '../output/approval-card.ts'
import type { Output } from '../output/output.ts'
import { visibleLine } from '../output/visible-text.ts'
import type { Terminal } from '../terminal.ts'
import { terminalQuestion, type Key, type Press } from './terminal-question.ts'

/** What a person said to a request on the terminal. */
export type TerminalAnswer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'later' }

type Choice = TerminalAnswer['kind']

const choices: readonly { readonly value: Choice; readonly label: string; readonly letters: readonly string[] }[] = [
  { value: 'later', label: 'Decide later (l)', letters: ['l'] },
  { value: 'approve', label: 'Approve (a or y)', letters: ['a', 'y'] },
  { value: 'deny', label: 'Deny (d or n)', letters: ['d', 'n'] },
]

// The keys the list itself moves by, beside the arrows.
const upKeys: readonly string[] = ['up', 'left', 'k', 'h']
const downKeys: readonly string[] = ['down', 'right', 'j', 'l']

/** Lets a letter choose: moves the list's mark to its line and confirms it, so that what is shown is what was chosen. */
function chooseByLetter(): (key: Key, press: Press) => void {
  let line = 0
  const move = (by: number): void => {
    line = (line + by + choices.length) % choices.length
  }
  return ({ name = '', ctrl }, press) => {
    if (upKeys.includes(name)) move(-1)
    if (downKeys.includes(name)) move(1)
    const target = choices.findIndex(({ letters }) => letters.includes(name))
    if (target === -1 || ctrl === true) return
    while (line !== target) {
      move(1)
      press('down')
    }
    press('return')
  }
}

/** Shows a request and asks. Leaving the question (Ctrl-C, Ctrl-D, Escape, abort) means later, never yes. */
export async function askApproval(
  approval: Approval,
  output: Output,
  options: {
    readonly justRead: string
    readonly now: number
    readonly terminal: Terminal
    readonly signal: AbortSignal
  },
): Promise<TerminalAnswer> {
  const { justRead, now, terminal, signal } = options
  const prompts = await import('@clack/prompts')
  output.result(approvalCard(approval, output.colours, { justRead, now }))
  const chosen = await terminalQuestion(terminal, {
    ask: (streams) =>
      prompts.select({
        message: `Run ${visibleLine(approval.tool)} with these arguments?`,
        options: choices.map(({ value, label }) => ({ value, label })),
        ...streams,
      }),
    onKey: chooseByLetter(),
    signal,
  })
  if (chosen === 'approve') return { kind: 'approve' }
  if (chosen !== 'deny') return { kind: 'later' }
  const reason = await terminalQuestion(terminal, {
    ask: (streams) =>
      prompts.text({
        message: 'Why not? The model is told.',
        placeholder: 'reason',
        validate: (text) =>
          text === undefined || text.trim() === '' ? 'Say why, or press Escape to decide later.' : undefined,
        ...streams,
      }),
    signal,
  })
  if (typeof reason === 'string') return { kind: 'deny', reason: reason.trim() }
  output.result('The denial is not recorded: it has no reason.')
  return { kind: 'later' }
}
