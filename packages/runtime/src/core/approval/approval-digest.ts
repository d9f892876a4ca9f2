import type { JsonObject } from '../json/json.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { Hash } from '../ports/hash.ts'
import type { ToolContract } from '../tool/contract.ts'

/**
 * What a consent is bound to: tool, version, owner and origin, schema, what it declares of its effects, exact arguments and
 * session. Any change of one of them gives another digest, and the consent no longer fits.
 */
export function approvalDigest(
  subject: { readonly contract: ToolContract; readonly arguments: JsonObject; readonly sessionId: string },
  hash: Hash,
): string {
  const { contract } = subject
  return hash.sha256(
    canonicalJson([
      'fairlead:approval:2',
      contract.name,
      contract.version,
      contract.owner,
      contract.origin,
      hash.sha256(canonicalJson(contract.inputSchema)),
      // A person decided on a card that showed these.
      [contract.effects, contract.risk, contract.class, contract.reversible],
      subject.arguments,
      subject.sessionId,
    ]),
  )
}
