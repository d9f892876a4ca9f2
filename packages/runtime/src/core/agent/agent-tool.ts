import { toolApproval } from '../approval/tool-approval.ts'
import type { InvocationContext } from '../call/invocation-context.ts'
import { Invocation, type Governance } from '../call/invocation.ts'
import { readDecision } from '../call/read-decision.ts'
import type { StagePorts } from '../call/stage-ports.ts'
import { Suspension } from '../call/suspension.ts'
import { FairleadError } from '../fairlead-error.ts'
import { isJsonObject, type JsonObject } from '../json/json.ts'
import type { Middleware } from '../middleware/middleware-step.ts'
import type { Decision, Policy } from '../ports/policy.ts'
import type { Recorder } from '../ports/recorder.ts'
import type { RunRecord } from '../ports/run-record.ts'
import { ToolError } from '../tool/tool-error.ts'
import { tool, type InputSchema, type Tool, type ToolDefinitionOptions } from '../tool/tool.ts'
import type { AgentOptions } from './agent-options.ts'
import { innerSessionId } from '../call/inner-session.ts'
import type { RunResult } from './run-result.ts'

/** How an agent stands in another agent's tools: a tool's options without its code, all optional but the name. */
export type AgentToolOptions = Partial<
  Omit<
    ToolDefinitionOptions<InputSchema>,
    'name' | 'execute' | 'worker' | 'class' | 'origin' | 'dryRun' | 'reconcile' | 'compensate' | 'repair'
  >
> & {
  readonly name: string
  /** What the agent is asked, from the call's arguments. Default: `task` where there is one, else all of them as JSON. */
  readonly prompt?: (args: JsonObject) => string
}

/** How many agents may lie inside one another. */
const deepest = 8

const taskSchema = {
  type: 'object',
  properties: { task: { type: 'string', description: 'What the agent should do, with everything it needs to know.' } },
  required: ['task'],
  additionalProperties: false,
} as const

/** One run of an agent inside a call. */
export type InnerRun = {
  readonly options: AgentOptions
  readonly parent: NonNullable<RunRecord['parent']>
  readonly sessionId: string
  readonly depth: number
  readonly limits: { readonly maxTokens?: number; readonly maxCostUsd?: number; readonly deadlineMs?: number }
  readonly signal: AbortSignal
}

/**
 * An agent as a tool. Its run is a run of its own in the same store, governed by what governs the call (policy, recorder,
 * labels, guards) and by the agent's own; it acts for the same principal, spends from the same budget, and stops when
 * the call does. It goes on where it stood when the process died, so that nothing it did is done twice.
 */
export function agentTool(
  agent: {
    readonly name: string
    readonly options: AgentOptions
    readonly tools: ReadonlyMap<string, Tool>
  },
  options: AgentToolOptions,
  run: (inner: InnerRun, prompt: string) => Promise<RunResult>,
): Tool<JsonObject> {
  const { prompt = promptOf, inputSchema = taskSchema, description, ...contract } = options
  const made = tool<InputSchema>({
    ...contract,
    inputSchema,
    description: description ?? `Hands a task to the agent "${agent.name}" and gives back its answer.`,
    origin: `agent:${agent.name}`,
    class: 'idempotencyKey',
    async execute(args: unknown, context: InvocationContext) {
      const governance = Invocation.governanceOf(context)
      if (governance === undefined) {
        throw new FairleadError('INVALID_TOOL', `Agent tool "${options.name}" was called outside the pipeline.`)
      }
      const inner = innerRun(governance, agent.options, { signal: context.signal, timeoutMs: made.contract.timeoutMs })
      governance.scope.insides.add(governance.call.id)
      const before = await spentBefore(governance, inner.sessionId)
      let result: RunResult
      try {
        result = await run(inner, prompt(isJsonObject(args) ? args : {}))
      } catch (error) {
        // The run inside stands as it was written last: an answer now would leave it behind for ever.
        if (leavesRunOpen(error)) return new Suspension('in_doubt')
        throw error
      }
      charge(governance, before, await governance.scope.store.journal.run(result.runId))
      return answerOf(agent.name, result)
    },
  })
  if (made.execute !== null) insides.set(made.execute, agent.tools)
  return made
}

/** By the code of the tool, which its copies with another contract share. */
const insides = new WeakMap<object, ReadonlyMap<string, Tool>>()
const nothingInside: ReadonlyMap<string, Tool> = new Map()

/** The tools of the agent inside an agent tool; none for any other tool. */
export function toolsInside({ execute }: Tool): ReadonlyMap<string, Tool> {
  return (execute === null ? undefined : insides.get(execute)) ?? nothingInside
}

function promptOf(args: JsonObject): string {
  const { task } = args
  return typeof task === 'string' ? task : JSON.stringify(args)
}

/** The run inside ends with the call: by its abort, and when its time is over. */
type CallLimits = { readonly signal: AbortSignal; readonly timeoutMs: number | null }

function innerRun({ call, scope, ports }: Governance, own: AgentOptions, limits: CallLimits): InnerRun {
  const depth = scope.depth + 1
  if (depth > deepest) {
    throw new ToolError('BUDGET_EXCEEDED', `At most ${deepest} agents may lie inside one another.`)
  }
  const guards: readonly Middleware[] = [...scope.chains.chat, ...scope.chains.function].filter((step) => step.guard)
  // Who does not let remembered consent count around a call does not let it count inside.
  const strict = scope.chains.approval.some((step) => !step.standingRules)
    ? [toolApproval({ standingRules: false })]
    : []
  const ownMiddleware =
    own.middleware === undefined ? [] : Array.isArray(own.middleware) ? own.middleware : [own.middleware]
  const left = scope.budgetLeft()
  const remainingMs = scope.remainingMs()
  return {
    options: {
      ...own,
      ...inheritedPorts(own, ports),
      store: scope.store,
      principal: scope.principal,
      environment: scope.environment,
      services: own.services ?? scope.services,
      logger: own.logger ?? scope.logger,
      middleware: [...guards, ...strict, ...(ownMiddleware as readonly Middleware[])],
    },
    parent: { runId: call.runId, callId: call.id },
    sessionId: innerSessionId(call.id),
    depth,
    limits: {
      ...smaller('maxTokens', own.maxTokens, left.maxTokens),
      ...smaller('maxCostUsd', own.maxCostUsd, left.maxCostUsd),
      ...smaller('deadlineMs', smallest(own.deadlineMs, limits.timeoutMs), remainingMs),
    },
    signal: limits.signal,
  }
}

function smallest(one: number | null | undefined, other: number | null): number | null {
  if (one === null || one === undefined) return other
  return other === null ? one : Math.min(one, other)
}

function smaller<Name extends string>(
  name: Name,
  own: number | null | undefined,
  left: number | null,
): { readonly [N in Name]?: number } {
  const limits = [own, left].filter((limit) => typeof limit === 'number')
  return (limits.length === 0 ? {} : { [name]: Math.min(...limits) }) as { readonly [N in Name]?: number }
}

/** What governs the call governs the agent inside it, beside what the agent brings itself. */
function inheritedPorts(own: AgentOptions, ports: StagePorts): Partial<AgentOptions> {
  const policy = bothPolicies(ports.policy, own.policy ?? null)
  const recorder = bothRecorders(ports.recorder, own.recorder ?? null)
  const labels = ports.labels ?? own.labels
  return {
    clock: ports.clock,
    ids: ports.ids,
    hash: ports.hash,
    executor: own.executor ?? ports.executor,
    secrets: own.secrets ?? ports.secrets,
    sandbox: own.sandbox ?? ports.sandbox,
    observation: own.observation ?? ports.observation,
    approvalTtlMs: own.approvalTtlMs ?? ports.approvalTtlMs,
    ...(policy === null ? {} : { policy }),
    ...(recorder === null ? {} : { recorder }),
    ...(labels === undefined ? {} : { labels }),
  }
}

const order: readonly Decision['effect'][] = ['allow', 'ask', 'deny']

/** The stricter decision wins and its rules come first. What one of them does not decide is not decided (law 7). */
function bothPolicies(outer: Policy | null, inner: Policy | null): Policy | null {
  if (outer === null || inner === null || outer === inner) return outer ?? inner
  return {
    async decide(question) {
      const [given, givenInside] = await Promise.all([outer.decide(question), inner.decide(question)])
      const [one, other] = [readDecision(given), readDecision(givenInside)]
      if (one === null) return given
      if (other === null) return givenInside
      const [rank, otherRank] = [order.indexOf(one.effect), order.indexOf(other.effect)]
      const [winner, milder] = rank >= otherRank ? [one, other] : [other, one]
      return { ...winner, rules: [...winner.rules, ...milder.rules] }
    },
  }
}

function bothRecorders(outer: Recorder | null, inner: Recorder | null): Recorder | null {
  if (outer === null || inner === null || outer === inner) return outer ?? inner
  return {
    async record(steps) {
      await outer.record(steps)
      await inner.record(steps)
    },
  }
}

type Spent = Pick<RunRecord, 'usage' | 'costUsd'>

async function spentBefore({ scope }: Governance, sessionId: string): Promise<Spent> {
  const [run] = await scope.store.journal.runs({ sessionId, limit: 1 })
  return run ?? { usage: { inputTokens: 0, outputTokens: 0 }, costUsd: 0 }
}

/** What this drive of the inner run used is the outer run's too. */
function charge({ scope }: Governance, before: Spent, run: RunRecord | undefined): void {
  if (run === undefined) return
  scope.charge({
    usage: {
      inputTokens: run.usage.inputTokens - before.usage.inputTokens,
      outputTokens: run.usage.outputTokens - before.usage.outputTokens,
    },
    usageKnown: run.usageKnown,
    costUsd: run.costUsd === null || before.costUsd === null ? null : run.costUsd - before.costUsd,
  })
}

/** The agent's words; what kept it from saying them is the call's error. */
function answerOf(name: string, result: RunResult): string | Suspension {
  const { stopReason, text } = result
  switch (stopReason) {
    case 'approval_required':
    case 'client_tool_required':
    case 'in_doubt':
      return new Suspension(stopReason)
    case 'answered':
      return text
    case 'hosted_approval_required':
      throw new ToolError(
        'PERMISSION_DENIED',
        `The provider of the agent "${name}" asks a person before it carries out a tool of its own, and nobody can be asked inside a call.`,
      )
    case 'iteration_limit':
    case 'call_limit':
    case 'error_limit':
    case 'budget_limit':
    case 'length':
      if (text.trim() !== '') return `${text}\n\n(The agent "${name}" stopped early: ${stopReason}.)`
      throw new ToolError(
        'BUDGET_EXCEEDED',
        `The agent "${name}" reached a limit (${stopReason}) before it had an answer.`,
      )
    case 'aborted':
      throw new ToolError('CANCELLED', `The agent "${name}" was stopped.`)
    case 'model_error':
      throw new ToolError('UNAVAILABLE', `The agent "${name}" could not finish: its model failed.`, {
        detail: { error: result.error },
      })
    case 'unknown_tool':
    case 'terminated':
    case 'content_filter':
      throw new ToolError(
        'PERMISSION_DENIED',
        `The agent "${name}" was ended (${stopReason}) before it had an answer.`,
        {
          detail: { error: result.error },
        },
      )
    default:
      return stopReason satisfies never
  }
}

/** The store failed, or somebody else is at the run: whatever it was doing is not lost, and goes on when it is resumed. */
function leavesRunOpen(error: unknown): boolean {
  if (!(error instanceof FairleadError)) return false
  return error.code === 'STORE_UNAVAILABLE' || error.code === 'JOURNAL_CONFLICT' || error.code === 'RUN_BUSY'
}
