import { FairleadError } from '../fairlead-error.ts'
import type { Effects, ProposedCall, Risk, ToolClass, ToolContract } from './contract.ts'
import type { Tool } from './tool.ts'

/** The fields of a contract that may be changed on a copy. Name, origin and schemas are the tool itself. */
export type ContractChanges = Partial<
  Pick<
    ToolContract,
    | 'description'
    | 'version'
    | 'owner'
    | 'effects'
    | 'risk'
    | 'class'
    | 'timeoutMs'
    | 'retry'
    | 'concurrency'
    | 'errorCodes'
    | 'tags'
    | 'phases'
    | 'environments'
    | 'needsApproval'
    | 'annotations'
    | 'sandbox'
    | 'labels'
    | 'examples'
    | 'whenNotToUse'
    | 'idempotency'
    | 'impact'
    | 'reversible'
    | 'costUsd'
    | 'strict'
  >
>

/**
 * A copy of any tool with stricter fields; the original stays. A change that loosens (less risk, milder effects, no
 * approval, more time …) throws `INVALID_TOOL` unless `operator: true` vouches for it, and is then named in
 * `contract.loosened`.
 */
export function withContract<TTool extends Tool>(
  tool: TTool,
  changes: ContractChanges,
  options: { readonly operator?: boolean } = {},
): TTool {
  const loosened = Object.keys(changes).filter((field) => loosens(tool.contract, changes, field))
  if (loosened.length > 0 && options.operator !== true) {
    throw new FairleadError(
      'INVALID_TOOL',
      `withContract would loosen ${loosened.join(', ')} of tool "${tool.contract.name}". ` +
        'Make it stricter, or vouch for it: withContract(tool, changes, { operator: true }).',
    )
  }
  const { contract } = tool
  const changed: ToolContract = {
    // The schemas are read lazily: spreading would build them here.
    ...Object.defineProperties({} as ToolContract, Object.getOwnPropertyDescriptors(contract)),
    ...changes,
    loosened: [...contract.loosened, ...loosened],
  }
  return Object.freeze({ ...tool, contract: Object.freeze(changed) })
}

/** A copy of any tool that needs a person's approval: always, or when `when` says so. What it asked before stays. */
export function requireApproval<TTool extends Tool>(
  tool: TTool,
  when: (call: ProposedCall) => boolean | Promise<boolean> = () => true,
): TTool {
  const { needsApproval } = tool.contract
  if (needsApproval === true) return tool
  const before = needsApproval === false ? null : needsApproval
  return withContract(tool, {
    needsApproval: async (call) => (before !== null && (await before(call)) !== false) || when(call),
  })
}

const riskOrder: readonly Risk[] = ['low', 'medium', 'high', 'critical']
const effectsOrder: readonly Effects[] = ['read', 'write', 'destructive', 'unknown']
// From "run it as often as you like" to "never again without a person".
const classOrder: readonly ToolClass[] = ['readOnly', 'idempotencyKey', 'transactional', 'queryable', 'nonIdempotent']

function loosens(from: ToolContract, to: ContractChanges, field: string): boolean {
  switch (field as keyof ContractChanges) {
    case 'risk':
      return isBefore(riskOrder, to.risk, from.risk)
    case 'effects':
      return isBefore(effectsOrder, to.effects, from.effects)
    case 'class':
      return isBefore(classOrder, to.class, from.class)
    case 'needsApproval':
      // A function may say yes less often than another: only always is surely stricter, and never surely looser.
      return from.needsApproval === true
        ? to.needsApproval !== true
        : to.needsApproval === false && from.needsApproval !== false
    case 'timeoutMs':
      return isMore(to.timeoutMs, from.timeoutMs)
    case 'concurrency':
      return isMore(to.concurrency, from.concurrency)
    case 'retry':
      return (to.retry?.maxAttempts ?? 1) > (from.retry?.maxAttempts ?? 1)
    case 'environments':
      return isWider(to.environments, from.environments)
    case 'phases':
      return isWider(to.phases, from.phases)
    case 'sandbox':
      return from.sandbox !== null && to.sandbox !== from.sandbox
    case 'description':
    case 'version':
    case 'owner':
    case 'errorCodes':
    case 'tags':
    case 'annotations':
    case 'labels':
    case 'examples':
    case 'whenNotToUse':
    case 'idempotency':
    case 'impact':
    case 'reversible':
    case 'costUsd':
    case 'strict':
      return false
    default:
      throw new FairleadError('INVALID_TOOL', `withContract cannot change "${field}": it is part of the tool itself.`)
  }
}

function isBefore<T>(order: readonly T[], value: T | undefined, than: T): boolean {
  return value !== undefined && order.indexOf(value) < order.indexOf(than)
}

/** `null` is no limit at all. */
function isMore(value: number | null | undefined, than: number | null): boolean {
  if (value === undefined || than === null) return false
  return value === null || value > than
}

/** An empty list means everywhere. */
function isWider(value: readonly string[] | undefined, than: readonly string[]): boolean {
  if (value === undefined || than.length === 0) return false
  return value.length === 0 || value.some((name) => !than.includes(name))
}
