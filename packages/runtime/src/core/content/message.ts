import type { ContentPart } from './content-part.ts'

export type Role = 'system' | 'user' | 'assistant' | 'tool'

/** One message of a conversation. Plain JSON, never mutated. */
export type Message = { readonly role: Role; readonly parts: readonly ContentPart[] }

/** A user message of one text. */
export function userMessage(text: string): Message {
  return { role: 'user', parts: [{ kind: 'text', text }] }
}

/** The text parts of some content, joined with line breaks; empty when there are none. */
export function textOf(parts: readonly ContentPart[]): string {
  let text = ''
  for (const part of parts) if (part.kind === 'text') text += text === '' ? part.text : `\n${part.text}`
  return text
}
