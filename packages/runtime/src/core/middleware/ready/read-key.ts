import { canonicalJson } from '../../json/canonical-json.ts'
import type { ToolContract } from '../../tool/contract.ts'
import type { FunctionContext } from '../function-context.ts'

/** Tools by number: two of one name and version may still be two, of two agents or one put in the other's place. */
const numbers = new WeakMap<ToolContract, number>()
let count = 0

function numberOf(tool: ToolContract): number {
  const known = numbers.get(tool) ?? ++count
  numbers.set(tool, known)
  return known
}

/** What two reads have in common that may share a result; `null` for one with a reference to a stored value. */
export function readKey({ tool, args, principal, environment }: FunctionContext, shared: boolean): string | null {
  const given = canonicalJson(args)
  if (given.includes('$var')) return null
  const { id, roles = [], tenant = null } = principal
  const whose = shared ? null : [id, tenant, roles]
  return canonicalJson([numberOf(tool), environment, whose, given])
}
