import { canonicalJson } from '../json/canonical-json.ts'
import type { Principal } from './call-record.ts'

/** One text for whom a consent counts: the same id of two tenants is two principals. */
export function principalKey({ id, tenant }: Principal): string {
  return tenant === undefined && !id.startsWith('[') ? id : canonicalJson([tenant ?? null, id])
}
