import type { Principal } from '@fairlead/runtime/core'
import { usageFailure } from './exit.ts'

/** Reads `ID[:role,…]`; the id ends at the first colon. */
export function parsePrincipal(text: string): Principal {
  const colon = text.indexOf(':')
  const id = (colon === -1 ? text : text.slice(0, colon)).trim()
  if (id === '') throw usageFailure(`--principal expects ID or ID:role,role with an id; found "${text}".`)
  if (colon === -1) return { id }
  const roles = text
    .slice(colon + 1)
    .split(',')
    .map((role) => role.trim())
  if (roles.includes('')) throw usageFailure(`--principal has an empty role in "${text}". Write ID:role,role.`)
  return { id, roles }
}
