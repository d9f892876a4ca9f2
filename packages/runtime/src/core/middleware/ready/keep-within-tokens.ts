import type { Message } from '../../content/message.ts'
import type { HistoryHook } from '../../loop/history-hook.ts'
import { newestMessages } from './newest-messages.ts'
import { requirePositive } from './require-positive.ts'

/**
 * For `compaction`: shows the model the newest messages that come to at most `tokens`, estimated as characters of JSON
 * divided by 4; files count by their text in base64. The first system message, the first and the last message of the
 * user and the newest turn are always shown: they are counted first, and alone may come to more. Instructions and tool
 * definitions are not counted. What is stored does not change.
 */
export function keepWithinTokens(tokens: number): HistoryHook {
  requirePositive('keepWithinTokens: tokens', tokens)
  // Messages never change, and every turn asks about all of them again.
  const known = new WeakMap<Message, number>()
  const sizeOf = (message: Message): number => {
    const size = known.get(message) ?? JSON.stringify(message.parts).length
    known.set(message, size)
    return size
  }
  const sum = (messages: readonly Message[]): number => messages.reduce((size, message) => size + sizeOf(message), 0)
  return (messages) => {
    const always = new Set(newestMessages(messages, () => false))
    let left = tokens * 4 - sum([...always])
    const fits = (group: readonly Message[]): boolean => (left -= sum(group)) >= 0
    return newestMessages(messages, (group) => group.every((message) => always.has(message)) || fits(group))
  }
}
