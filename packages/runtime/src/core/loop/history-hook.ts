import type { Message } from '../content/message.ts'

/** What of a conversation the model is shown in one of its turns. */
export type HistoryHook = (messages: readonly Message[]) => readonly Message[] | Promise<readonly Message[]>
