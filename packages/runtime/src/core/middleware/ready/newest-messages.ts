import type { Message } from '../../content/message.ts'

/**
 * The newest part of a conversation: whole groups (an assistant's turn with its results), as long as `fits` takes each,
 * asked from the newest on. Never left out are the first system message, the first and the last message of the user, and
 * the newest group. The order stays.
 */
export function newestMessages(
  messages: readonly Message[],
  fits: (group: readonly Message[]) => boolean,
): readonly Message[] {
  const groups = groupsOf(messages)
  const roles = groups.map(([first]) => first?.role)
  const kept = new Set([roles.indexOf('system'), roles.indexOf('user'), roles.lastIndexOf('user'), groups.length - 1])
  for (const [index, group] of [...groups.entries()].reverse()) {
    if (!fits(group)) break
    kept.add(index)
  }
  return groups.flatMap((group, index) => (kept.has(index) ? group : []))
}

function groupsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = []
  for (const message of messages) {
    const group = groups.at(-1)
    if (message.role === 'tool' && group !== undefined) group.push(message)
    else groups.push([message])
  }
  return groups
}
