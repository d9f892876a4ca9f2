import type { Host } from '../host.ts'
import { commandLine } from '../shell-words.ts'

/** Where an argument that was left out is found, by its name. */
const listings = new Map<string, readonly string[]>([
  ['run', ['trace', 'list']],
  ['id', ['approvals', 'list']],
  ['rule', ['approvals', 'rules', 'list']],
  ['call', ['calls', 'list']],
  ['name', ['tools', 'list']],
])

/** What to type to learn an argument the parser missed; empty for any other fault. */
export function argumentHint(fault: string, host: Host): string {
  const name = /missing required argument '([^']+)'/.exec(fault)?.[1] ?? ''
  const words = listings.get(name)
  return words === undefined ? '' : ` See: ${commandLine([...host.self, ...words])}`
}
