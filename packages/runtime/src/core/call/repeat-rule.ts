import type { LiveCall } from './live-call.ts'

/**
 * What may be done with a call whose process was lost while it ran, by its class: repeat it, ask the remote, or leave it
 * in doubt. A key is honoured for its window only. (Source: reference on durability, "Exactly-once, said honestly".)
 */
export function afterLoss(call: LiveCall, now: number): 'repeat' | 'reconcile' | 'in-doubt' {
  const { tool, record } = call
  // What cannot be repeated or asked about here may well have taken effect.
  if (tool === null && record.class !== 'readOnly') return 'in-doubt'
  switch (record.class) {
    case 'readOnly':
      return 'repeat'
    case 'idempotencyKey': {
      const windowMs = tool?.contract.idempotency?.windowMs ?? Number.POSITIVE_INFINITY
      const begun = record.transitions.find(({ state }) => state === 'Executing')?.at ?? now
      return now - begun < windowMs ? 'repeat' : 'in-doubt'
    }
    case 'queryable':
      return (tool?.behaviour.reconcile ?? null) === null ? 'in-doubt' : 'reconcile'
    case 'transactional':
    case 'nonIdempotent':
      return 'in-doubt'
    default:
      return record.class satisfies never
  }
}
