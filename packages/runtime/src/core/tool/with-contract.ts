import { FairleadError } from '../fairlead-error.ts'
import type { Effects, ProposedCall, Risk, ToolClass, ToolContract } from './contract.ts'
import { requireConsistent } from './require-consistent.ts'
import { requireKnownOptions } from './tool-options.ts'
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
    | 'editable'
  >
>

/**
 * A copy of any tool with stricter fields; the original stays. A change that loosens (less risk, milder effects, no
 * approval, more time …) throws `INVALID_TOOL` unless `operator: true` vouches for it, and is then named in
 * `contract.loosened`. Stricter effects take a class `readOnly` along to `nonIdempotent`; a copy that would contradict
 * itself throws `INVALID_TOOL`, whoever vouches.
 */
export function withContract<TTool extends Tool>(
  tool: TTool,
  changes: ContractChanges,
  options: { readonly operator?: boolean } = {},
): TTool {
  const given = definedMembers(changes)
  requireKnownOptions(tool.contract.name, withoutNulls(given))
  const loosened = Object.keys(given).filter((field) => loosens(tool.contract, given, field))
  if (loosened.length > 0 && options.operator !== true) {
    throw new FairleadError(
      'INVALID_TOOL',
      `withContract would loosen ${loosened.join(', ')} of tool "${tool.contract.name}". ` +
        'Make it stricter, or vouch for it: withContract(tool, changes, { operator: true }).',
    )
  }
  const { contract } = tool
  const changed: ToolContract = {
    ...contract,
    class: classAfter(contract, given),
    ...given,
    loosened: [...contract.loosened, ...loosened],
  }
  requireConsistent(changed, { reconcile: tool.behaviour.reconcile !== null })
  return Object.freeze({ ...tool, contract: Object.freeze(changed) })
}

/** A tool that no longer only reads is no longer `readOnly`, as `tool()` would have it. */
function classAfter(from: ToolContract, to: ContractChanges): ToolClass {
  const staysRead = to.effects === undefined || to.effects === 'read'
  return from.class === 'readOnly' && !staysRead ? 'nonIdempotent' : from.class
}

/** A copy of any tool that needs a person's approval: always, or when `when` says so. What it asked before stays. */
export function requireApproval<TTool extends Tool>(
  tool: TTool,
  when?: (call: ProposedCall) => boolean | Promise<boolean>,
): TTool {
  const { needsApproval } = tool.contract
  if (needsApproval === true) return tool
  if (when === undefined) return withContract(tool, { needsApproval: true })
  const before = needsApproval === false ? null : needsApproval
  const either = async (call: ProposedCall): Promise<boolean> =>
    (before !== null && (await before(call)) !== false) || (await when(call)) !== false
  // It says yes whenever the old one did, so it is stricter, though that cannot be seen from outside.
  const stricter = withContract(tool, { needsApproval: either }, { operator: true })
  return Object.freeze({
    ...stricter,
    contract: Object.freeze({ ...stricter.contract, loosened: tool.contract.loosened }),
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
      // A function may say yes less often than another: only asking always is surely no looser.
      return from.needsApproval !== false && to.needsApproval !== true && to.needsApproval !== from.needsApproval
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
    case 'editable':
      return to.editable === true && !from.editable
    case 'idempotency':
      // The time in which a call is repeated after a crash without asking anybody.
      return isMore(to.idempotency?.windowMs ?? null, from.idempotency?.windowMs ?? null)
    case 'costUsd':
      return (to.costUsd ?? 0) < (from.costUsd ?? 0)
    case 'reversible':
      return from.reversible === 'no' && to.reversible !== 'no'
    case 'description':
    case 'version':
    case 'owner':
    case 'errorCodes':
    case 'tags':
    case 'annotations':
    case 'labels':
    case 'examples':
    case 'whenNotToUse':
    case 'impact':
    case 'strict':
      return false
    default:
      throw new FairleadError('INVALID_TOOL', `withContract cannot change "${field}": it is part of the tool itself.`)
  }
}

/** A member that is there but undefined changes nothing. */
function definedMembers(changes: ContractChanges): ContractChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

/** A contract says `null` where an option is left out. */
function withoutNulls(changes: ContractChanges): object {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))
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
