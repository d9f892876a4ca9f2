import { FairleadError } from '../fairlead-error.ts'
import type { ToolContract } from './contract.ts'

/**
 * Throws `INVALID_TOOL` for a contract that contradicts itself. What decides after a crash reads `class` alone, so a
 * wrong one would repeat an effect: nobody can vouch for that.
 */
export function requireConsistent(contract: ToolContract, has: { readonly reconcile: boolean }): void {
  const { name, effects } = contract
  if (contract.class === 'readOnly' && (effects === 'write' || effects === 'destructive')) {
    throw new FairleadError(
      'INVALID_TOOL',
      `Tool "${name}": class "readOnly" is for tools with effects "read"; found effects "${effects}". ` +
        'Leave class out (then "nonIdempotent"), choose another class, or declare effects: \'read\'.',
    )
  }
  if (contract.class === 'queryable' && !has.reconcile) {
    throw new FairleadError(
      'INVALID_TOOL',
      `Tool "${name}": class "queryable" needs reconcile, which asks the remote whether a call took effect; found none. ` +
        'Add reconcile: (args, context) => …, or leave class out (then "nonIdempotent").',
    )
  }
}
