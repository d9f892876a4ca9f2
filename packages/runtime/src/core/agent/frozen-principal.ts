import type { Principal } from '../call/call-record.ts'
import { FairleadError } from '../fairlead-error.ts'
import { deepFreeze } from '../json/deep-freeze.ts'
import { findNonJson, isJsonObject } from '../json/json.ts'

/**
 * Whom a run acts for, as a copy nobody can change: it stands in every record of the run and is handed to tools and
 * middleware. Throws `INVALID_OPTION` for what is no principal.
 */
export function frozenPrincipal(given: Principal): Principal {
  const value: unknown = given
  if (isJsonObject(value) && findNonJson(value) === null && typeof value['id'] === 'string' && value['id'] !== '') {
    return deepFreeze(structuredClone(given))
  }
  throw new FairleadError(
    'INVALID_OPTION',
    'principal: expected {id, roles?, tenant?} with a text as id, JSON throughout.',
  )
}
