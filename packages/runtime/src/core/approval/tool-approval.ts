import type { AutoApprovalRule } from './consult.ts'

/** Who may approve in a person's place; stands in the list of middleware. */
export type ApprovalMiddleware = {
  readonly kind: 'approval'
  readonly name: string
  readonly autoApprove: readonly AutoApprovalRule[]
  readonly standingRules: boolean
}

export type ToolApprovalOptions = {
  /** Asked in order; the first that answers `true` approves. Default none. */
  readonly autoApprove?: AutoApprovalRule | readonly AutoApprovalRule[]
  /** Whether what a person told us to remember counts. Default true, also without this middleware. */
  readonly standingRules?: boolean
}

/** Middleware that lets rules approve in a person's place. Every approval by a rule is recorded like a person's. */
export function toolApproval(options: ToolApprovalOptions = {}): ApprovalMiddleware {
  const { autoApprove = [], standingRules = true } = options
  return Object.freeze({
    kind: 'approval',
    name: 'toolApproval',
    autoApprove: typeof autoApprove === 'function' ? [autoApprove] : [...autoApprove],
    standingRules,
  })
}
