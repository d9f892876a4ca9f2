import type { JsonObject } from '../json/json.ts'
import { isDeclarationOnly, type Tool } from '../tool/tool.ts'
import { answerCall } from './answer-call.ts'
import { CallSignal } from './call-signal.ts'
import { Invocation } from './invocation.ts'
import type { LiveCall } from './live-call.ts'
import { isThenable, whenReady } from './maybe-promise.ts'
import { normaliseOutcome, uncheckedOutcome, type ExecutionOutcome } from './normalise-outcome.ts'
import { runAttempt, type AttemptOutcome } from './run-attempt.ts'
import { patienceOf, type Stage } from './stage.ts'
import { withinRun } from './within-run.ts'

/**
 * The last stages, of a call that was journalled as Executing: expand references, execute, normalise, observe, answer.
 * Never throws: every failure is an outcome. Waits only where something really waits.
 */
export function performCall(call: LiveCall, stage: Stage): void | Promise<void> {
  const { tool, record } = call
  const args = record.arguments
  const startedAt = stage.ports.clock.now()
  if (tool === null || args === null || isDeclarationOnly(tool)) {
    return finish(call, { kind: 'threw', error: null }, startedAt, stage)
  }
  const { labels } = stage.ports
  if (labels === null) return attempt(call, { tool, args, startedAt }, stage)
  try {
    const expanded = labels.expand(args, call.handOut())
    return isThenable(expanded)
      ? attemptExpanded(call, { tool, expanding: expanded, startedAt }, stage)
      : attempt(call, { tool, args: expanded, startedAt }, stage)
  } catch (error) {
    return finish(call, { kind: 'threw', error }, startedAt, stage)
  }
}

/** A call whose settling failed in a way nobody foresaw: it still gets its one answer. */
export function failUnexpected(call: LiveCall, stage: Stage): void {
  if (call.isAnswered || call.state !== 'Executing') return
  const outcome = normaliseOutcome(call, { kind: 'threw', error: null }, { includeDetailedErrors: false })
  if (!isThenable(outcome)) void settle(call, outcome, 0, stage)
}

async function attemptExpanded(
  call: LiveCall,
  work: { readonly tool: Tool; readonly expanding: PromiseLike<JsonObject>; readonly startedAt: number },
  stage: Stage,
): Promise<void> {
  const { tool, expanding, startedAt } = work
  const waited = await withinRun(expanding, patienceOf(stage))
  switch (waited.kind) {
    case 'done':
      return attempt(call, { tool, args: waited.value, startedAt }, stage)
    case 'failed':
      return finish(call, { kind: 'threw', error: waited.error }, startedAt, stage)
    case 'aborted':
    case 'late':
      return finish(call, { kind: 'aborted', started: false }, startedAt, stage)
    default:
      return waited satisfies never
  }
}

function attempt(
  call: LiveCall,
  work: { readonly tool: Tool; readonly args: JsonObject; readonly startedAt: number },
  stage: Stage,
): void | Promise<void> {
  const { tool, args, startedAt } = work
  const { ports, scope } = stage
  const signal = new CallSignal(scope.fan)
  const context = new Invocation(call, scope, signal, ports)
  const outcome = runAttempt(() => ports.ambient.run(context, () => ports.executor.execute(tool, args, context)), {
    fan: scope.fan,
    signal,
    clock: ports.clock,
    timeoutMs: timeLeft(tool, stage),
  })
  return whenReady(outcome, (ended) => {
    signal.close()
    return finish(call, ended, startedAt, stage)
  })
}

/** The tool's own time, or what is left of the run's, whichever is shorter. */
function timeLeft(tool: Tool, { scope }: Stage): number | null {
  const { timeoutMs } = tool.contract
  const left = scope.remainingMs()
  if (timeoutMs === null || left === null) return timeoutMs ?? left
  return Math.min(timeoutMs, left)
}

function finish(call: LiveCall, ended: AttemptOutcome, startedAt: number, stage: Stage): void | Promise<void> {
  const latencyMs = Math.max(0, stage.ports.clock.now() - startedAt)
  const outcome = outcomeOf(call, ended, stage)
  return isThenable(outcome) ? settleChecked(call, outcome, latencyMs, stage) : settle(call, outcome, latencyMs, stage)
}

/** Judging an outcome runs the tool's own code (getters, output schema): what it throws is an outcome too. */
function outcomeOf(
  call: LiveCall,
  ended: AttemptOutcome,
  { ports }: Stage,
): ExecutionOutcome | PromiseLike<ExecutionOutcome> {
  try {
    return normaliseOutcome(call, ended, ports)
  } catch {
    return uncheckedOutcome(call)
  }
}

async function settleChecked(
  call: LiveCall,
  checking: PromiseLike<ExecutionOutcome>,
  latencyMs: number,
  stage: Stage,
): Promise<void> {
  const waited = await withinRun(checking, patienceOf(stage))
  return settle(call, waited.kind === 'done' ? waited.value : uncheckedOutcome(call), latencyMs, stage)
}

function settle(call: LiveCall, outcome: ExecutionOutcome, latencyMs: number, stage: Stage): void | Promise<void> {
  if (outcome.status === 'error' && call.tool !== null) {
    call.tool.counters.countException()
    stage.scope.countersOf(call.tool).countException()
  }
  return answerCall(call, { kind: 'executed', outcome, latencyMs }, stage)
}
