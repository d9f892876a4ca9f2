import type { Principal } from '../call/call-record.ts'

/** Who asks for a secret, and for which tool. */
export type SecretRequest = { readonly tool: string; readonly principal: Principal }

/**
 * Hands out secrets by name, for one use. Rejects when there is none of this name, or not for this tool or principal.
 * A value never enters a journal, a message, a dump or an argument list; holders register it with redaction first.
 */
export interface Secrets {
  lease(name: string, request: SecretRequest): Promise<string>
}
