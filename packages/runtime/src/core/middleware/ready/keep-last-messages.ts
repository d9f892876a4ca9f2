import type { HistoryHook } from '../../loop/history-hook.ts'
import { newestMessages } from './newest-messages.ts'
import { requirePositive } from './require-positive.ts'

/**
 * For `compaction`: shows the model the newest `count` messages of a conversation; fewer where the last of them would be
 * half a turn, because an assistant's turn stays with its results. Shown beside them, whatever `count` is: the first
 * system message, the first and the last message of the user, the newest turn. What is stored does not change.
 */
export function keepLastMessages(count: number): HistoryHook {
  requirePositive('keepLastMessages: count', count)
  return (messages) => {
    let left = count
    return newestMessages(messages, (group) => (left -= group.length) >= 0)
  }
}
