import { isJsonObject, type JsonObject } from '@fairlead/runtime/core'
import type { Output } from '../output/output.ts'
import type { Terminal } from '../terminal.ts'
import { leftTerminal, terminalQuestion } from './terminal-question.ts'

/** The arguments a person typed, as text and as what it says; or that they went back, or away. */
export type TypedArguments =
  | { readonly kind: 'typed'; readonly text: string; readonly value: JsonObject }
  | { readonly kind: 'back' }
  | { readonly kind: 'leave' }

function parsed(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : 'Expected a JSON object, for example {"title": "Slow checkout"}.'
  } catch (error) {
    return `That is no JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Opens one line of JSON with `draft` in it. What is no JSON object is said, and asked for again as it was typed. */
export async function askArguments(
  draft: string,
  { terminal, output, signal }: { readonly terminal: Terminal; readonly output: Output; readonly signal: AbortSignal },
): Promise<TypedArguments> {
  const prompts = await import('@clack/prompts')
  const typed = await terminalQuestion(terminal, {
    ask: (streams) =>
      prompts.text({
        message: 'Arguments as JSON. Enter approves the call with them, Escape goes back.',
        initialValue: draft,
        validate: (text = '') => {
          const value = parsed(text)
          return typeof value === 'string' ? value : undefined
        },
        ...streams,
      }),
    isPlain: output.colours.isPlain,
    signal,
  })
  if (typed === leftTerminal) return { kind: 'leave' }
  if (typeof typed !== 'string') return { kind: 'back' }
  const value = parsed(typed)
  return typeof value === 'string' ? { kind: 'back' } : { kind: 'typed', text: typed, value }
}
