import { FairleadError } from '../fairlead-error.ts'
import type { Message } from './message.ts'

const consents: ReadonlySet<string> = new Set([
  'function_approval_request',
  'function_approval_response',
  'hosted_approval_request',
  'hosted_approval_response',
])

/** Consent is given on the host's channel and checked there. Throws `INVALID_MESSAGE` for a message that holds it. */
export function requireNoConsent({ parts }: Message): void {
  const found = parts.find(({ kind }) => consents.has(kind))
  if (found === undefined) return
  throw new FairleadError(
    'INVALID_MESSAGE',
    `A message holds a ${found.kind}. Give answers as they are: agent.run([approval.approve({ by })]).`,
  )
}
