import { invalidMiddleware, requireStep } from './require-step.ts'
import type { ApprovalMiddleware } from '../approval/tool-approval.ts'
import type {
  AgentMiddlewareStep,
  ChatMiddlewareStep,
  FunctionMiddlewareStep,
  MiddlewareStep,
} from './middleware-step.ts'

/** A list of middleware by what it wraps, outermost first. */
export type Chains = {
  readonly agent: readonly AgentMiddlewareStep[]
  readonly chat: readonly ChatMiddlewareStep[]
  readonly function: readonly FunctionMiddlewareStep[]
  readonly approval: readonly ApprovalMiddleware[]
}

const noChains: Chains = { agent: [], chat: [], function: [], approval: [] }

/**
 * Sorts one list of middleware into its kinds, in order; bundles come as a whole. `takes` names the kinds that can be
 * used at this place. Throws `INVALID_MIDDLEWARE` for anything else, with nothing taken.
 */
export function collectMiddleware(
  list: unknown,
  place = 'middleware',
  takes: readonly Placed['step']['kind'][] = ['agent', 'chat', 'function', 'approval'],
): Chains {
  if (list === undefined || list === null) return noChains
  const steps = (Array.isArray(list) ? list : [list]).flatMap((item: unknown) => stepsOf(item))
  if (steps.length === 0) return noChains
  for (const { step, bundle } of steps) {
    if (takes.includes(step.kind)) continue
    const of = bundle === null ? '' : ` of the bundle "${bundle}"`
    throw invalidMiddleware(
      `${place} takes ${takes.join(' and ')} middleware; found ${step.kind} middleware "${step.name}"${of}.`,
    )
  }
  return {
    agent: withNamesApart(steps.flatMap(({ step }) => (step.kind === 'agent' ? [step] : []))),
    chat: withNamesApart(steps.flatMap(({ step }) => (step.kind === 'chat' ? [step] : []))),
    function: withNamesApart(steps.flatMap(({ step }) => (step.kind === 'function' ? [step] : []))),
    approval: steps.flatMap(({ step }) => (step.kind === 'approval' ? [step] : [])),
  }
}

/** Outer chains around inner ones, kind by kind. */
export function nestChains(outer: Chains, inner: Chains): Chains {
  if (inner === noChains) return outer
  if (outer === noChains) return inner
  return {
    agent: withNamesApart([...outer.agent, ...inner.agent]),
    chat: withNamesApart([...outer.chat, ...inner.chat]),
    function: withNamesApart([...outer.function, ...inner.function]),
    approval: [...outer.approval, ...inner.approval],
  }
}

/**
 * The name stands for a piece in consents, in the journal and in what a run was begun under, so no two of a chain share
 * one: a later piece of the same name is numbered, `name (2)`, by its place in the chain.
 */
function withNamesApart<Step extends { readonly name: string }>(steps: readonly Step[]): readonly Step[] {
  if (steps.length < 2 || new Set(steps.map(({ name }) => name)).size === steps.length) return steps
  const taken = new Set<string>()
  return steps.map((step) => {
    let name = step.name
    for (let count = 2; taken.has(name); count++) name = `${step.name} (${count})`
    taken.add(name)
    return name === step.name ? step : Object.freeze({ ...step, name })
  })
}

type Placed = { readonly step: MiddlewareStep | ApprovalMiddleware; readonly bundle: string | null }

function stepsOf(item: unknown): readonly Placed[] {
  if (isApprovalMiddleware(item)) return [{ step: item, bundle: null }]
  if (typeof item === 'object' && item !== null && 'kind' in item && item.kind === 'bundle') {
    const { name, parts } = item as { readonly name?: unknown; readonly parts?: unknown }
    if (typeof name !== 'string' || !Array.isArray(parts))
      throw invalidMiddleware('A bundle has a name and a list of parts.')
    return parts.map((part: unknown) => ({ step: requireStep(part), bundle: name }))
  }
  return [{ step: requireStep(item), bundle: null }]
}

function isApprovalMiddleware(item: unknown): item is ApprovalMiddleware {
  return (
    typeof item === 'object' && item !== null && 'kind' in item && item.kind === 'approval' && 'autoApprove' in item
  )
}
