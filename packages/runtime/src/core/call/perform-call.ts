import type { JsonObject } from '../json/json.ts'
import { isDeclarationOnly, type Tool } from '../tool/tool.ts'
import { answerCall } from './answer-call.ts'
import { CallSignal } from './call-signal.ts'
import { Invocation } from './invocation.ts'
import type { LiveCall } from './live-call.ts'
import { isThenable } from './maybe-promise.ts'
import type { ExecutionOutcome } from './execution-outcome.ts'
import { normaliseOutcome, uncheckedOutcome } from './normalise-outcome.ts'
import { runAttempt, type AttemptOutcome } from './run-attempt.ts'
import { patienceOf, type Stage } from './stage.ts'
import { Suspension } from './suspension.ts'
import { tellThrown } from './tell-failure.ts'
import { withinRun } from './within-run.ts'

/**
 * The last stages, of a call that was journalled as Executing: expand references, execute, normalise, observe, answer.
 * Never throws: every failure is an outcome. Calls `done` once when the call is settled, perhaps before it returns.
 */
export function performCall(call: LiveCall, stage: Stage, done: () => void): void {
  executeCall(call, stage, (outcome, latencyMs) => {
    if (outcome instanceof Suspension) return done()
    const answering = answerCall(call, { kind: 'executed', outcome, latencyMs }, stage)
    // It never rejects by contract; should it all the same, the call still gets its one answer.
    if (isThenable(answering)) answering.then(done, done)
    else done()
  })
}

/**
 * Expands references, executes and normalises. Calls `ended` once with the outcome, perhaps before it returns; or with a
 * suspension, when the call waits for an agent inside it: it then stands ready to be carried out again.
 */
export function executeCall(
  call: LiveCall,
  stage: Stage,
  ended: (outcome: ExecutionOutcome | Suspension, latencyMs: number) => void,
): void {
  const { tool, record } = call
  const args = record.arguments
  const startedAt = stage.ports.clock.now()
  const end = (attempt: AttemptOutcome): void => {
    const latencyMs = Math.max(0, stage.ports.clock.now() - startedAt)
    const counted = (outcome: ExecutionOutcome): void => {
      countFailure(call, outcome, stage)
      if (attempt.kind === 'threw' && outcome.errorCode === 'INTERNAL') tellThrown(call, attempt.error, stage.scope)
      ended(outcome, latencyMs)
    }
    if (attempt.kind === 'returned' && attempt.value instanceof Suspension) {
      suspendCall(call, attempt.value, stage)
      return ended(attempt.value, latencyMs)
    }
    const outcome = outcomeOf(call, attempt, stage)
    if (isThenable(outcome)) void checkedOutcome(call, outcome, stage).then(counted)
    else counted(outcome)
  }
  if (tool === null || args === null || isDeclarationOnly(tool)) return end({ kind: 'threw', error: null })
  const { labels } = stage.ports
  if (labels === null) return attempt(call, { tool, args }, stage, end)
  try {
    const expanded = labels.expand(args, call.handOut())
    if (isThenable(expanded)) void attemptExpanded(call, { tool, expanding: expanded }, stage, end)
    else attempt(call, { tool, args: expanded }, stage, end)
  } catch (error) {
    end({ kind: 'threw', error })
  }
}

function suspendCall(call: LiveCall, { reason }: Suspension, { ports }: Stage): void {
  const because = `the agent inside waits: ${reason}`
  call.move('Failed', ports.clock.now(), { errorCode: 'SUSPENDED', because })
  call.move('Retried', ports.clock.now(), { because, waits: reason })
}

/** A call whose settling failed in a way nobody foresaw: it still gets its one answer. */
export function failUnexpected(call: LiveCall, stage: Stage): void {
  if (call.isAnswered || call.state !== 'Executing') return
  const outcome = normaliseOutcome(call, { kind: 'threw', error: null }, { includeDetailedErrors: false })
  if (isThenable(outcome)) return
  countFailure(call, outcome, stage)
  void answerCall(call, { kind: 'executed', outcome, latencyMs: 0 }, stage)
}

type End = (ended: AttemptOutcome) => void

async function attemptExpanded(
  call: LiveCall,
  work: { readonly tool: Tool; readonly expanding: PromiseLike<JsonObject> },
  stage: Stage,
  end: End,
): Promise<void> {
  const waited = await withinRun(work.expanding, patienceOf(stage))
  switch (waited.kind) {
    case 'done':
      return attempt(call, { tool: work.tool, args: waited.value }, stage, end)
    case 'failed':
      return end({ kind: 'threw', error: waited.error })
    case 'aborted':
    case 'late':
      return end({ kind: 'aborted', started: false })
    default:
      return waited satisfies never
  }
}

function attempt(
  call: LiveCall,
  { tool, args }: { readonly tool: Tool; readonly args: JsonObject },
  stage: Stage,
  end: End,
): void {
  const { ports, scope } = stage
  const signal = new CallSignal(scope.fan)
  const context = new Invocation(call, scope, signal, ports)
  const execute = (): unknown => ports.executor.execute(tool, args, context)
  const setting = { fan: scope.fan, signal, clock: ports.clock, timeoutMs: timeLeft(tool, stage) }
  runAttempt(
    () => ports.ambient.run(context, execute),
    setting,
    (ended) => {
      signal.close()
      end(ended)
    },
  )
}

/** The tool's own time, or what is left of the run's, whichever is shorter. */
function timeLeft(tool: Tool, { scope }: Stage): number | null {
  const { timeoutMs } = tool.contract
  const left = scope.remainingMs()
  if (timeoutMs === null || left === null) return timeoutMs ?? left
  return Math.min(timeoutMs, left)
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

async function checkedOutcome(
  call: LiveCall,
  checking: PromiseLike<ExecutionOutcome>,
  stage: Stage,
): Promise<ExecutionOutcome> {
  const waited = await withinRun(checking, patienceOf(stage))
  return waited.kind === 'done' ? waited.value : uncheckedOutcome(call)
}

function countFailure(call: LiveCall, outcome: ExecutionOutcome, stage: Stage): void {
  if (outcome.status !== 'error' || call.tool === null) return
  call.tool.counters.countException()
  stage.scope.countersOf(call.tool).countException()
}
