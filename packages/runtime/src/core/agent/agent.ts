import type { ApprovalResponsePart } from '../content/content-part.ts'
import { requireMessages } from '../content/conversation-json.ts'
import { userMessage, type Message } from '../content/message.ts'
import type { ToolDefinition, ChatClient } from '../chat/chat-client.ts'
import { decideApproval } from '../approval/decide-approval.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { JsonObject } from '../json/json.ts'
import { readLimits, type LoopLimits } from '../loop/loop-limits.ts'
import type { RunUpdate } from '../loop/run-update.ts'
import { keepsRunOpen } from '../loop/stop-reason.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { ToolContract } from '../tool/contract.ts'
import type { Tool } from '../tool/tool.ts'
import { collectTools } from '../tool/tool-list.ts'
import type { AgentOptions, RunInput, RunOptions } from './agent-options.ts'
import { portsFrom, type AgentPorts } from './default-ports.ts'
import { driveRun, type Drive } from './drive-run.ts'
import { resultOf, type RefusedAnswer, type RunResult } from './run-result.ts'
import { runStream, type RunStream } from './run-stream.ts'
import { sessionHandle, type Session } from './session.ts'

const quiet = { info: () => undefined, warn: () => undefined }

/**
 * A model with tools under one pipeline. Immutable: `with` gives a changed copy. Safe to use for several runs at once;
 * one conversation takes one run at a time.
 */
export class Agent {
  readonly #options: AgentOptions
  readonly #ports: AgentPorts
  readonly #limits: LoopLimits
  readonly #advertised: ReadonlyMap<string, Tool>
  readonly #tools: ReadonlyMap<string, Tool>
  #definitions: readonly ToolDefinition[] | undefined

  constructor(options: AgentOptions) {
    this.#options = { ...options }
    this.#limits = readLimits({
      ...(options.maxIterations === undefined ? {} : { maxIterations: options.maxIterations }),
      ...(options.maxConsecutiveErrors === undefined ? {} : { maxConsecutiveErrors: options.maxConsecutiveErrors }),
    })
    this.#ports = portsFrom(options)
    this.#advertised = collectTools(options.tools ?? [])
    this.#tools =
      options.additionalTools === undefined
        ? this.#advertised
        : collectTools([...this.#advertised.values(), options.additionalTools], 'additionalTools')
  }

  get name(): string {
    return this.#options.name ?? 'agent'
  }

  get model(): ChatClient | undefined {
    return this.#options.model
  }

  get store(): Store {
    return this.#ports.store
  }

  /** The contracts of every tool this agent can call. */
  tools(): readonly ToolContract[] {
    return [...this.#tools.values()].map((tool) => tool.contract)
  }

  /** A copy with some options changed. Without a `store` among them, both share one. */
  with(changes: Partial<AgentOptions>): Agent {
    return new Agent({ store: this.#ports.store, ...this.#options, ...changes })
  }

  /** A conversation by id, new or stored; without an id a new one. */
  async session(id?: string): Promise<Session> {
    return sessionHandle(id ?? this.#ports.stages.ids.next('session'), this.#ports.store.sessions)
  }

  /**
   * Runs to the next stop and gives the result. Answers to requests for approval go on with their run. Rejects when the
   * store fails or the input cannot be used; whatever a model or a tool does is a result.
   */
  async run(input: RunInput, options: RunOptions = {}): Promise<RunResult> {
    return fold(this.#generate(input, options, false))
  }

  /** The same run as a stream of updates. */
  stream(input: RunInput, options: RunOptions = {}): RunStream {
    return runStream(() => this.#generate(input, options, true))
  }

  /**
   * Goes on with a stored run: one whose approvals were decided, or whose process died. Rejects with `RUN_NOT_FOUND`,
   * `RUN_ENDED`, or `RUN_BUSY` while a living process works on it.
   */
  resume(runId: string, options: Pick<RunOptions, 'signal'> = {}): RunStream {
    return runStream(() => this.#resume(runId, { ...options, refused: [] }, true))
  }

  /** Calls one tool for the host, down the same pipeline, as a run of its own. */
  call(toolName: string, args: JsonObject, options: RunOptions = {}): RunStream {
    return runStream(() => this.#begin([], { name: toolName, arguments: JSON.stringify(args) }, options, true))
  }

  #generate(input: RunInput, options: RunOptions, streaming: boolean): AsyncGenerator<RunUpdate, RunResult> {
    if (isAnswers(input)) return this.#answer(input, options, streaming)
    if (this.#options.model === undefined) {
      throw new FairleadError(
        'INVALID_OPTION',
        `Agent "${this.name}" has no model. Give it one: new Agent({ model, … }).`,
      )
    }
    return this.#begin(toMessages(input), null, options, streaming)
  }

  async *#begin(
    added: readonly Message[],
    hostCall: Drive['hostCall'],
    options: RunOptions,
    streaming: boolean,
  ): AsyncGenerator<RunUpdate, RunResult> {
    const { store, stages, workers, leaseMs } = this.#ports
    const { ids, clock } = stages
    const sessionId = options.session?.id ?? ids.next('session')
    const known = options.session === undefined ? undefined : await store.sessions.get(sessionId)
    if (known !== undefined) await this.#requireIdle(sessionId)
    const worker = workers.identity(ids.next('worker'))
    const at = clock.now()
    const stored = known?.messages ?? []
    const run: RunRecord = {
      id: ids.next('run'),
      traceId: ids.next('trace'),
      sessionId,
      agent: this.name,
      kind: hostCall === null ? 'agent' : 'call',
      principal: options.principal ?? this.#ports.principal,
      environment: options.environment ?? this.#ports.environment,
      startedWith: options.startedWith ?? null,
      startedAt: at,
      endedAt: null,
      status: 'running',
      stopReason: null,
      firstMessage: stored.length,
      turns: 0,
      calls: 0,
      usage: { inputTokens: 0, outputTokens: 0 },
      error: null,
      lease: { worker, until: at + leaseMs },
    }
    const opening: JournalEntry[] = [{ kind: 'run-started', run }]
    if (known === undefined) opening.unshift({ kind: 'session-created', sessionId, at })
    return yield* driveRun(
      this.#drive({
        run,
        worker,
        stored,
        added,
        opening,
        openCalls: [],
        hostCall,
        refused: [],
        streaming,
        signal: options.signal,
      }),
    )
  }

  async *#resume(
    runId: string,
    options: { readonly signal?: AbortSignal; readonly refused: readonly RefusedAnswer[] },
    streaming: boolean,
  ): AsyncGenerator<RunUpdate, RunResult> {
    const { store, stages, workers, leaseMs } = this.#ports
    const run = await store.journal.run(runId)
    if (run === undefined)
      throw new FairleadError('RUN_NOT_FOUND', `There is no run ${JSON.stringify(runId)} in this store.`)
    if (run.status === 'ended') {
      throw new FairleadError(
        'RUN_ENDED',
        `Run ${runId} has ended (${run.stopReason ?? 'unknown'}); there is nothing to go on with.`,
      )
    }
    const now = stages.clock.now()
    if (run.lease !== null && now < run.lease.until && !workers.isGone(run.lease.worker)) {
      throw new FairleadError(
        'RUN_BUSY',
        `Run ${runId} is being worked on by another process, which holds it until ${new Date(run.lease.until).toISOString()}. Try again later.`,
      )
    }
    const worker = workers.identity(stages.ids.next('worker'))
    const lease = { worker, until: now + leaseMs }
    const claimed: RunRecord = { ...run, status: 'running', stopReason: null, lease }
    try {
      await store.journal.append([
        { kind: 'run-claimed', runId, expectedLease: run.lease, lease },
        { kind: 'run-changed', expectedStatus: run.status, worker, run: claimed },
      ])
    } catch (error) {
      if (!(error instanceof JournalConflict)) throw error
      throw new FairleadError('RUN_BUSY', `Run ${runId} was just taken up by another process.`, { cause: error })
    }
    const stored = (await store.sessions.get(run.sessionId))?.messages ?? []
    const calls = await store.journal.calls(runId)
    const openCalls = stored.at(-1)?.role === 'assistant' ? calls.filter((call) => call.turn === run.turns) : []
    return yield* driveRun(
      this.#drive({
        run: claimed,
        worker,
        stored,
        added: [],
        opening: [],
        openCalls,
        hostCall: null,
        refused: options.refused,
        streaming,
        signal: options.signal,
      }),
    )
  }

  /** Answers on the host's channel: each is recorded once against its request, then the run goes on. */
  async *#answer(
    answers: readonly ApprovalResponsePart[],
    options: RunOptions,
    streaming: boolean,
  ): AsyncGenerator<RunUpdate, RunResult> {
    const { store, stages } = this.#ports
    const refused: RefusedAnswer[] = []
    const runs = new Set<string>()
    for (const answer of answers) {
      const known = await store.approvals.get(answer.id)
      if (known !== undefined && options.session !== undefined && known.sessionId !== options.session.id) {
        refused.push({ id: answer.id, reason: 'This request belongs to another conversation.' })
        continue
      }
      if (known !== undefined) runs.add(known.runId)
      const verdict = await decideApproval(store, answer, stages)
      if (verdict.kind !== 'decided') refused.push({ id: answer.id, reason: refusalOf(verdict) })
    }
    const [runId] = runs
    if (runId === undefined) {
      const why = refused.map(({ id, reason }) => `${id}: ${reason}`).join(' ')
      throw new FairleadError('APPROVAL_REFUSED', `None of these answers fits a request of this store. ${why}`)
    }
    if (runs.size > 1) {
      throw new FairleadError(
        'APPROVAL_REFUSED',
        'These answers belong to several runs. Their decisions are recorded; resume each run by itself.',
      )
    }
    const run = await store.journal.run(runId)
    if (run?.status === 'ended') return this.#endedResult(run, refused)
    const { signal } = options
    return yield* this.#resume(runId, { refused, ...(signal === undefined ? {} : { signal }) }, streaming)
  }

  async #endedResult(run: RunRecord, refused: readonly RefusedAnswer[]): Promise<RunResult> {
    const messages = (await this.#ports.store.sessions.get(run.sessionId))?.messages ?? []
    return resultOf({ run, stopReason: run.stopReason ?? 'aborted', messages, approvals: [], refused })
  }

  /** One conversation takes one run at a time: a second one would tear its messages apart. */
  async #requireIdle(sessionId: string): Promise<void> {
    const [latest] = await this.#ports.store.journal.runs({ sessionId, limit: 1 })
    if (latest === undefined || latest.status === 'ended') return
    const waits = latest.stopReason !== null && keepsRunOpen(latest.stopReason)
    throw new FairleadError(
      'RUN_BUSY',
      waits
        ? `Conversation ${sessionId} waits for an answer (run ${latest.id}, ${latest.stopReason}). Answer it first, or start another conversation.`
        : `Conversation ${sessionId} has an unfinished run (${latest.id}). Wait for it, or resume it if its process died.`,
    )
  }

  #drive(
    own: Pick<
      Drive,
      'run' | 'worker' | 'stored' | 'added' | 'opening' | 'openCalls' | 'hostCall' | 'refused' | 'streaming' | 'signal'
    >,
  ): Drive {
    this.#definitions ??= [...this.#advertised.values()].map(({ contract }) => ({
      name: contract.name,
      description: contract.description,
      inputSchema: contract.inputSchema,
      strict: contract.strict,
    }))
    return {
      ...own,
      ports: this.#ports,
      tools: this.#tools,
      definitions: this.#definitions,
      model: own.run.kind === 'call' ? null : (this.#options.model ?? null),
      instructions: this.#options.instructions,
      limits: this.#limits,
      services: this.#options.services,
      logger: this.#options.logger ?? quiet,
    }
  }
}

async function fold(generator: AsyncGenerator<RunUpdate, RunResult>): Promise<RunResult> {
  for (;;) {
    const next = await generator.next()
    if (next.done === true) return next.value
  }
}

function isAnswers(input: RunInput): input is readonly ApprovalResponsePart[] {
  if (!Array.isArray(input) || input.length === 0) return false
  const [first] = input as readonly (Message | ApprovalResponsePart)[]
  return first !== undefined && 'kind' in first && first.kind === 'function_approval_response'
}

function toMessages(input: Exclude<RunInput, readonly ApprovalResponsePart[]> | RunInput): readonly Message[] {
  if (typeof input === 'string') return [userMessage(input)]
  // Copied: the caller's list stays the caller's.
  return [...requireMessages(Array.isArray(input) ? input : [input])]
}

function refusalOf(verdict: Exclude<Awaited<ReturnType<typeof decideApproval>>, { kind: 'decided' }>): string {
  switch (verdict.kind) {
    case 'already': {
      const { approval } = verdict
      const when = approval.decidedAt === null ? '' : ` at ${new Date(approval.decidedAt).toISOString()}`
      return `Already ${approval.status} by ${approval.decidedBy ?? 'nobody'}${when}. A request is answered once.`
    }
    case 'expired':
      return `Expired at ${new Date(verdict.approval.expiresAt).toISOString()}.`
    case 'unknown':
      return 'There is no such request in this store.'
    default:
      return verdict satisfies never
  }
}
