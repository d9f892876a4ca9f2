import { approvalDigest } from '../approval/approval-digest.ts'
import type { JsonObject } from '../json/json.ts'
import { isDeclarationOnly, type Tool } from '../tool/tool.ts'
import { answerCall, type Outcome } from './answer-call.ts'
import { callIdOf } from './call-id.ts'
import type { CallRecord } from './call-record.ts'
import { CallSignal } from './call-signal.ts'
import { Invocation } from './invocation.ts'
import { judgeCall, type Judgement } from './judge-call.ts'
import { LiveCall } from './live-call.ts'
import { isThenable, whenReady } from './maybe-promise.ts'
import { normaliseOutcome, uncheckedOutcome, type ExecutionOutcome } from './normalise-outcome.ts'
import { parseArguments, type ParsedArguments } from './parse-arguments.ts'
import { requestApproval } from './request-approval.ts'
import { withinRun } from './within-run.ts'
import { runAttempt, type AttemptOutcome } from './run-attempt.ts'
import type { RunScope } from './run-scope.ts'
import type { Opened, StagePorts } from './stage-ports.ts'

/** A call as the model (or the host) proposed it, and its place in the run. */
export type Proposal = {
  readonly providerCallId: string
  readonly name: string
  readonly arguments: string
  readonly turn: number
  readonly index: number
  readonly modelReason: string | null
}

/**
 * The one way in. Every call of every origin walks these stages, and nothing else runs a tool's `execute`:
 *
 *   proposal ─► lookup ─► validate ─► policy ─► approval ─► execute ─► normalise ─► observe ─► answer
 *   └───────────────── open ────────────────┘  └─ claim ─┘ └──────────── perform ───────────────┘
 *
 * `open` and `claim` only decide; the caller journals what they decided before `perform` lets anything happen.
 */
export class Pipeline {
  readonly ports: StagePorts
  readonly scope: RunScope

  constructor(ports: StagePorts, scope: RunScope) {
    this.ports = ports
    this.scope = scope
  }

  /** Lookup, validation and policy of a new proposal. Nothing is written and nothing runs. */
  open(proposal: Proposal): readonly [LiveCall, Opened | Promise<Opened>] {
    const call = this.#lookUp(proposal)
    return [call, this.#check(call)]
  }

  /** Takes up a stored call that was never judged (the process died in between): validates and judges it anew. */
  reopen(call: LiveCall): Opened | Promise<Opened> {
    return call.state === 'Requested' ? this.#check(call) : this.#judge(call)
  }

  /**
   * The last decision before a call that waited may run: its approval, if it needed one, still fits, the tool is still the same, and
   * policy, asked again, has not become stricter. `ready` means it may start now.
   */
  claim(
    call: LiveCall,
    approval: { readonly digest: string; readonly expiresAt: number } | null,
  ): Opened | Promise<Opened> {
    const { tool } = call
    const args = call.record.arguments
    if (tool === null || args === null) return this.#rejectUnknown(call)
    if (approval !== null && this.#now() >= approval.expiresAt) {
      call.move('Expired', this.#now())
      return this.#answer(call, { kind: 'expired' })
    }
    const fits = approval === null || approval.digest === this.#digestOf(call, args)
    return whenReady(
      judgeCall(this.ports.policy, this.#questionOf(call, args)),
      (judgement): Opened | Promise<Opened> => {
        if (call.isAnswered) return answered
        call.note({ decision: decisionOf(judgement) })
        switch (judgement.kind) {
          case 'deny':
          case 'error':
            return this.#reject(call, judgement)
          case 'ask':
            if (approval !== null && fits) return goAhead(tool)
            return this.#ask(call, args, judgement.askedBy)
          case 'allow':
            if (!fits) return this.#ask(call, args, 'contract')
            return goAhead(tool)
          default:
            return judgement satisfies never
        }
      },
    )
  }

  /** Counts a call against its tool's limits, of its life and of this run. Says what is over, or `null`. */
  admit(call: LiveCall): string | null {
    const { tool } = call
    if (tool === null) return null
    const { counters, behaviour, contract } = tool
    const perRun = this.scope.countersOf(tool)
    const over = perRun.admit(behaviour.perRun)
    if (over !== 'admitted') return `Tool "${contract.name}" has reached ${over} for this run.`
    const overLife = counters.admit(behaviour.lifetime)
    return overLife === 'admitted' ? null : `Tool "${contract.name}" has reached ${overLife}.`
  }

  /** Answers a call that is over a limit. */
  async rejectOverBudget(call: LiveCall, because: string): Promise<void> {
    call.move('Rejected', this.#now(), { because })
    await this.#answer(call, { kind: 'over-budget', because })
  }

  /** A call the host answers itself. */
  awaitClient(call: LiveCall): void {
    call.move('AwaitingClient', this.#now())
  }

  /** Answers a proposal that must not even be looked at, for example of a turn that was cut off. */
  async refuse(proposal: Proposal, because: string): Promise<LiveCall> {
    const call = this.#lookUp(proposal)
    await this.cancel(call, because)
    return call
  }

  /** Cancels a call that has not started. */
  async cancel(call: LiveCall, because: string): Promise<void> {
    call.move('Cancelled', this.#now(), { because })
    await this.#answer(call, { kind: 'cancelled', because })
  }

  /** Settles a call that will not run: a person refused, nobody answered, the run was aborted. */
  settle(call: LiveCall, outcome: Outcome): Opened | Promise<Opened> {
    return this.#answer(call, outcome)
  }

  /** A call whose process died while it ran and whose class allows another attempt: `PROCESS_LOST`, then again. */
  takeUpLost(call: LiveCall): Opened {
    call.move('Failed', this.#now(), { errorCode: 'PROCESS_LOST' })
    call.move('Retried', this.#now(), { because: 'the process was lost and the class of the tool allows it' })
    return { kind: 'ready' }
  }

  /** The intent: once this is journalled, the call may run. */
  start(call: LiveCall): void {
    const attempts = call.record.attempts + 1
    call.move('Executing', this.#now(), { attempt: attempts }, { attempts })
  }

  /** A call whose intent could not be recorded: it fails without having run. */
  async failUnrecorded(call: LiveCall): Promise<void> {
    call.move('Failed', this.#now(), { errorCode: 'POLICY_ERROR', executed: false })
    await this.#answer(call, { kind: 'unrecorded' })
  }

  /** A call whose settling failed in a way nobody foresaw: it still gets its one answer. */
  failUnexpected(call: LiveCall): void {
    if (call.isAnswered) return
    const outcome = normaliseOutcome(call, { kind: 'threw', error: null }, { includeDetailedErrors: false })
    if (call.state === 'Executing' && !isThenable(outcome)) void this.#settleExecuted(call, outcome, 0)
  }

  /** Runs a call that was journalled as Executing, and settles it. Never throws: every failure is an outcome. */
  perform(call: LiveCall): void | Promise<void> {
    const { tool, record } = call
    const args = record.arguments
    if (tool === null || args === null || isDeclarationOnly(tool)) {
      return this.#finish(call, { kind: 'threw', error: new Error('a call without a tool was started') }, this.#now())
    }
    const startedAt = this.#now()
    const { labels } = this.ports
    if (labels === null) return this.#attempt(call, args, startedAt)
    try {
      const expanded = labels.expand(args, call.handOut())
      return isThenable(expanded)
        ? this.#attemptExpanded(call, expanded, startedAt)
        : this.#attempt(call, expanded, startedAt)
    } catch (error) {
      return this.#finish(call, { kind: 'threw', error }, startedAt)
    }
  }

  async #attemptExpanded(call: LiveCall, expanding: PromiseLike<JsonObject>, startedAt: number): Promise<void> {
    const waited = await withinRun(expanding, this.#patience())
    switch (waited.kind) {
      case 'done':
        return this.#attempt(call, waited.value, startedAt)
      case 'failed':
        return this.#finish(call, { kind: 'threw', error: waited.error }, startedAt)
      case 'aborted':
      case 'late':
        return this.#finish(call, { kind: 'aborted', started: false }, startedAt)
      default:
        return waited satisfies never
    }
  }

  /** How long anything may be waited for: as long as the run goes on. */
  #patience(): Parameters<typeof withinRun>[1] {
    return { fan: this.scope.fan, clock: this.ports.clock, remainingMs: this.scope.remainingMs() }
  }

  /** The verdict on a call, as long as the run goes on; then the call is cancelled, whatever the guard says later. */
  async decided(call: LiveCall, verdict: Opened | PromiseLike<Opened>): Promise<Opened> {
    if (!isThenable(verdict)) return verdict
    const waited = await withinRun(verdict, this.#patience())
    switch (waited.kind) {
      case 'done':
        return waited.value
      case 'failed':
        return call.isAnswered ? answered : this.#reject(call, { kind: 'error' })
      case 'aborted':
        await this.cancel(call, 'The run was aborted before the call was decided.')
        return answered
      case 'late':
        await this.cancel(call, 'The time of the run was over before the call was decided.')
        return answered
      default:
        return waited satisfies never
    }
  }

  #lookUp(proposal: Proposal): LiveCall {
    const { scope } = this
    const tool = scope.tools.get(proposal.name) ?? null
    const contract = tool?.contract
    const at = this.#now()
    return LiveCall.proposed(
      {
        id: callIdOf(scope.runId, proposal.turn, proposal.index),
        runId: scope.runId,
        traceId: scope.traceId,
        sessionId: scope.sessionId,
        turn: proposal.turn,
        index: proposal.index,
        providerCallId: proposal.providerCallId,
        principal: scope.principal,
        environment: scope.environment,
        tool: proposal.name,
        version: contract?.version ?? null,
        origin: contract?.origin ?? 'local',
        effects: contract?.effects ?? 'unknown',
        risk: contract?.risk ?? 'high',
        class: contract?.class ?? 'nonIdempotent',
        rawArguments: proposal.arguments,
        arguments: null,
        modelReason: proposal.modelReason,
        decision: null,
        approvalId: null,
        attempts: 0,
        state: 'Requested',
        transitions: [{ state: 'Requested', at, detail: null }],
        result: null,
        latencyMs: null,
        observationTokens: null,
      },
      tool,
    )
  }

  #check(call: LiveCall): Opened | Promise<Opened> {
    if (call.tool === null) return this.#rejectUnknown(call)
    const parsed = this.#parse(call)
    return whenReady(parsed, (known) => {
      if (call.isAnswered) return answered
      if (known.kind === 'invalid') return this.#reject(call, { kind: 'invalid-arguments', issues: known.issues })
      call.move('Validated', this.#now(), null, { arguments: known.value })
      return this.#judge(call)
    })
  }

  #parse(call: LiveCall): ParsedArguments | Promise<ParsedArguments> {
    const { tool, record } = call
    const broken: ParsedArguments = {
      kind: 'invalid',
      issues: [{ path: '', message: 'the schema of this tool could not check them' }],
    }
    if (tool === null) return broken
    try {
      const first = parseArguments(record.rawArguments, tool.input)
      const parsed = tool.behaviour.repair === null ? first : whenReady(first, (known) => repaired(tool, record, known))
      return parsed instanceof Promise ? parsed.catch(() => broken) : parsed
    } catch {
      // A schema that throws has checked nothing.
      return broken
    }
  }

  #judge(call: LiveCall): Opened | Promise<Opened> {
    const args = call.record.arguments
    if (call.tool === null || args === null) return this.#rejectUnknown(call)
    const { tool } = call
    return whenReady(
      judgeCall(this.ports.policy, this.#questionOf(call, args)),
      (judgement): Opened | Promise<Opened> => {
        if (call.isAnswered) return answered
        switch (judgement.kind) {
          case 'deny':
          case 'error':
            call.note({ decision: decisionOf(judgement) })
            return this.#reject(call, judgement)
          case 'ask':
            call.move('PolicyChecked', this.#now(), null, { decision: decisionOf(judgement) })
            return this.#ask(call, args, judgement.askedBy)
          case 'allow':
            call.move('PolicyChecked', this.#now(), null, { decision: decisionOf(judgement) })
            return goAhead(tool)
          default:
            return judgement satisfies never
        }
      },
    )
  }

  #questionOf(call: LiveCall, args: JsonObject) {
    const { scope } = this
    // Only called with a tool at hand; the stages above answer calls without one.
    const contract = (call.tool as NonNullable<LiveCall['tool']>).contract
    return {
      tool: contract,
      arguments: args,
      principal: scope.principal,
      environment: scope.environment,
      sessionId: scope.sessionId,
      runId: scope.runId,
    }
  }

  #digestOf(call: LiveCall, args: JsonObject): string | null {
    if (call.tool === null) return null
    const subject = { contract: call.tool.contract, arguments: args, sessionId: this.scope.sessionId }
    return approvalDigest(subject, this.ports.hash)
  }

  #ask(call: LiveCall, args: JsonObject, askedBy: string): Opened | Promise<Opened> {
    if (call.tool === null) return this.#rejectUnknown(call)
    const approval = requestApproval(
      call.record,
      { contract: call.tool.contract, arguments: args, askedBy },
      this.ports,
    )
    call.move('NeedsApproval', approval.createdAt, { approval: approval.id, askedBy }, { approvalId: approval.id })
    return { kind: 'ask', approval }
  }

  #rejectUnknown(call: LiveCall): Opened | Promise<Opened> {
    return this.#reject(call, { kind: 'unknown-tool', known: [...this.scope.tools.keys()] })
  }

  #reject(
    call: LiveCall,
    outcome: Extract<Outcome, { kind: 'unknown-tool' | 'invalid-arguments' | 'deny' | 'error' }>,
  ): Opened | Promise<Opened> {
    if (call.state !== 'Rejected') call.move('Rejected', this.#now(), { because: outcome.kind })
    return this.#answer(call, outcome)
  }

  #answer(call: LiveCall, outcome: Outcome): Opened | Promise<Opened> {
    const answering = answerCall(call, outcome, this)
    return answering === undefined ? answered : answering.then(() => answered)
  }

  #attempt(call: LiveCall, args: JsonObject, startedAt: number): void | Promise<void> {
    const { ports, scope } = this
    const tool = call.tool
    if (tool === null) return undefined
    const signal = new CallSignal(scope.fan)
    const context = new Invocation(call, scope, signal, ports)
    const outcome = runAttempt(() => ports.ambient.run(context, () => ports.executor.execute(tool, args, context)), {
      fan: scope.fan,
      signal,
      clock: ports.clock,
      timeoutMs: this.#timeLeft(tool),
    })
    return whenReady(outcome, (ended) => {
      signal.close()
      return this.#finish(call, ended, startedAt)
    })
  }

  /** The tool's own time, or what is left of the run's, whichever is shorter. */
  #timeLeft(tool: Tool): number | null {
    const { timeoutMs } = tool.contract
    const left = this.scope.remainingMs()
    if (timeoutMs === null || left === null) return timeoutMs ?? left
    return Math.min(timeoutMs, left)
  }

  #finish(call: LiveCall, ended: AttemptOutcome, startedAt: number): void | Promise<void> {
    const latencyMs = Math.max(0, this.#now() - startedAt)
    const outcome = outcomeOf(call, ended, this.ports)
    return isThenable(outcome)
      ? this.#settleChecked(call, outcome, latencyMs)
      : this.#settleExecuted(call, outcome, latencyMs)
  }

  async #settleChecked(call: LiveCall, checking: PromiseLike<ExecutionOutcome>, latencyMs: number): Promise<void> {
    const waited = await withinRun(checking, this.#patience())
    return this.#settleExecuted(call, waited.kind === 'done' ? waited.value : uncheckedOutcome(call), latencyMs)
  }

  #settleExecuted(call: LiveCall, outcome: ExecutionOutcome, latencyMs: number): void | Promise<void> {
    if (outcome.status === 'error') this.#countException(call)
    return answerCall(call, { kind: 'executed', outcome, latencyMs }, this)
  }

  #countException(call: LiveCall): void {
    if (call.tool === null) return
    call.tool.counters.countException()
    this.scope.countersOf(call.tool).countException()
  }

  #now(): number {
    return this.ports.clock.now()
  }
}

function decisionOf(judgement: Judgement): {
  readonly effect: 'allow' | 'ask' | 'deny'
  readonly rules: readonly string[]
} {
  return { effect: judgement.kind === 'error' ? 'deny' : judgement.kind, rules: judgement.rules }
}

const answered: Opened = { kind: 'answered' }
const ready: Opened = { kind: 'ready' }
const client: Opened = { kind: 'client' }

function goAhead(tool: Tool): Opened {
  return isDeclarationOnly(tool) ? client : ready
}

/** One try of the tool's own mending; what it gives is judged like the model's text. */
function repaired(tool: Tool, record: CallRecord, first: ParsedArguments): ParsedArguments | Promise<ParsedArguments> {
  const { repair } = tool.behaviour
  if (first.kind === 'valid' || repair === null) return first
  const text = repair({ arguments: record.rawArguments, issues: first.issues })
  return text === null ? first : parseArguments(text, tool.input)
}

/** Judging an outcome runs the tool's own code (getters, output schema): what it throws is an outcome too. */
function outcomeOf(
  call: LiveCall,
  ended: AttemptOutcome,
  ports: StagePorts,
): ExecutionOutcome | PromiseLike<ExecutionOutcome> {
  try {
    return normaliseOutcome(call, ended, ports)
  } catch {
    return uncheckedOutcome(call)
  }
}
