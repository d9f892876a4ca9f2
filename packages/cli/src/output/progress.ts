import { textOf, type CallRecord, type Message, type RunUpdate, type Transition } from '@fairlead/runtime/core'
import { clientCallLine, settledCallLine, startedCallLine, uncertainCallLine, waitingCallLine } from './call-line.ts'
import { newParagraphs } from './new-paragraphs.ts'
import type { Output } from './output.ts'
import { visibleText } from './visible-text.ts'

/** Shows a run as it goes, line by line. Keeps what it has shown, so that the end need not repeat it. */
export type Progress = {
  show(update: RunUpdate): void
  /** The last text of the assistant that was shown; `null` when none was. */
  shownText(): string | null
}

function callLine(
  call: CallRecord,
  transitions: readonly Transition[],
  options: { readonly output: Output; readonly announceStart: boolean; readonly saysWhy: boolean },
): string | null {
  const { colours } = options.output
  const states = transitions.map(({ state }) => state)
  // The line comes when the model is told, because only then is the outcome final.
  if (states.includes('Observed')) return settledCallLine(call, colours, options)
  if (states.includes('NeedsApproval')) return waitingCallLine(call, colours)
  if (states.includes('AwaitingClient')) return clientCallLine(call, colours)
  if (states.includes('Unknown')) return uncertainCallLine(call, colours)
  return options.announceStart && states.includes('Executing') ? startedCallLine(call, colours) : null
}

function assistantText(message: Message): string {
  return message.role === 'assistant' ? textOf(message.parts).trim() : ''
}

/**
 * Progress of one or more runs on an output. `announceStart` adds a line when a call begins; `toldAtEnd` names calls
 * of which the end says why they failed; paragraphs of `earlier` texts are not shown again.
 */
export function progressOn(
  output: Output,
  {
    announceStart,
    toldAtEnd,
    earlier = [],
  }: {
    readonly announceStart: boolean
    readonly toldAtEnd?: ((call: CallRecord) => boolean) | undefined
    readonly earlier?: readonly string[]
  },
): Progress {
  let shown: string | null = null
  const read = [...earlier]
  return {
    show: (update) => {
      if (update.kind === 'call-moved') {
        const saysWhy = toldAtEnd?.(update.call) !== true
        const line = callLine(update.call, update.transitions, { output, announceStart, saysWhy })
        if (line !== null) output.progress(line)
      } else if (update.kind === 'message-added') {
        const text = assistantText(update.message)
        if (text === '') return
        output.progress(`${visibleText(newParagraphs(text, read))}\n`)
        read.push(text)
        if (!output.quiet && !output.json) shown = text
      }
    },
    shownText: () => shown,
  }
}
