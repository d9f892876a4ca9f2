import type { ApprovalAnswer, ApprovalVerdict } from '../approval/decide-approval.ts'
import { runIdOf, type CallId } from '../call/call-id.ts'
import { requireResolution, resolveCall, type Resolution, type ResolveVerdict } from '../call/resolve-call.ts'
import { unfailing } from '../call/unfailing-logger.ts'
import type { ChatClient } from '../chat/chat-client.ts'
import type { HostedApprovalResponsePart } from '../content/content-part.ts'
import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { JsonObject } from '../json/json.ts'
import { readLimits, type LoopLimits } from '../loop/loop-limits.ts'
import { readSessionLimits } from './read-session-limits.ts'
import { spentBy, type SessionLimits } from '../loop/run-budget.ts'
import { deafOutbox } from '../loop/outbox.ts'
import type { Store } from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'
import { collectMiddleware, nestChains, type Chains } from '../middleware/collect-middleware.ts'
import { userMessageFrom } from '../middleware/run-passage.ts'
import type { ToolContract } from '../tool/contract.ts'
import { collectTools } from '../tool/tool-list.ts'
import { ToolSet, type ToolChanges } from '../tool/run-tools.ts'
import type { Tool } from '../tool/tool.ts'
import { agentTool, type AgentToolOptions, type InnerRun } from './agent-tool.ts'
import type { AgentOptions, HostAnswer, RunInput, RunOptions } from './agent-options.ts'
import { beginRun, earlierRuns } from './begin-run.ts'
import { claimRun } from './claim-run.ts'
import { portsFrom, type AgentPorts } from './default-ports.ts'
import { unpackRun } from './continuation.ts'
import { decideRequest } from './decide-request.ts'
import { driveRun, type Drive, type DriveSettings, type Telling } from './drive-run.ts'
import { conversationOf, runThatAsked, splitAnswers, takeHosted, waitsForOthers } from './hosted-answers.ts'
import { readAgentOptions } from './known-agent-options.ts'
import { requireRunOptions } from './known-run-options.ts'
import { liveSessionsOf } from './live-sessions.ts'
import { isAnswers, toMessages } from './read-input.ts'
import { bothHistories, joined, readToolChoice, requireAnyModel, requireModel } from './read-options.ts'
import { givenBy, present } from './given-options.ts'
import { guardNames, requireGuards } from './required-guards.ts'
import { restoreSession } from './restore-session.ts'
import { noRequests } from './open-requests.ts'
import { resultOf, type RefusedAnswer, type RunResult } from './run-result.ts'
import { rootOf } from '../call/root-of.ts'
import { runStream, type RunStream } from './run-stream.ts'
import { sessionHandle, type Session } from './session.ts'
import { takeHostAnswers } from './take-host-answers.ts'
import { toolsOfRun } from './tools-of-run.ts'
import { isDecidedMeanwhile, isLostToDecision, isTakenElsewhere } from './woken-run.ts'

/**
 * A model with tools under one pipeline. Immutable: `with` gives a changed copy. Safe to use for several runs at once;
 * one conversation takes one run at a time.
 */
export class Agent implements AsyncDisposable {
  readonly #options: AgentOptions
  readonly #ports: AgentPorts
  readonly #limits: LoopLimits
  readonly #sessionLimits: SessionLimits
  readonly #tools: ToolSet
  readonly #chains: Chains
  #closing: Promise<void> | undefined

  /** Throws `INVALID_OPTION`, `INVALID_TOOL`, `DUPLICATE_TOOL` or `INVALID_MIDDLEWARE` for what it cannot work with. */
  constructor(given: AgentOptions) {
    const options = readAgentOptions(given)
    this.#options = options
    this.#limits = readLimits(options)
    this.#sessionLimits = readSessionLimits(options.sessionLimits)
    this.#ports = portsFrom(options)
    if (options.model !== undefined) requireModel(options.model)
    const advertised = collectTools(options.tools ?? [])
    const callable =
      options.additionalTools === undefined
        ? advertised
        : collectTools([...advertised.values(), options.additionalTools], 'additionalTools')
    this.#tools = new ToolSet(advertised, callable)
    this.#chains = collectMiddleware(options.middleware)
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
    return [...this.#tools.callable.values()].map((tool) => tool.contract)
  }

  /** A copy with some options changed. Without a `store` among them, both share one. */
  with(changes: Partial<AgentOptions>): Agent {
    return new Agent({ store: this.#ports.store, ...this.#options, ...changes })
  }

  /** A conversation by id, new or stored; without an id a new one. */
  async session(id?: string): Promise<Session> {
    return sessionHandle(id ?? this.#ports.stages.ids.next('session'), this.#ports.store)
  }

  /**
   * Brings a conversation that `session.serialise()` gave, as a value or as its JSON text, into this agent's store, all
   * of it or nothing; one that is there already with the same messages is left as it is. Rejects with `INVALID_MESSAGE`
   * for what cannot be read, with `INVALID_OPTION` when the store holds other messages under its id. Earlier runs stay
   * in their own store: limits of the conversation count from here.
   */
  async restoreSession(serialised: unknown): Promise<Session> {
    return restoreSession(serialised, { store: this.#ports.store, clock: this.#ports.stages.clock })
  }

  /**
   * Says something to a conversation whose run may be under way: the next turn of its model hears it, once the calls of
   * the turn before have their results; a run about to end goes on for it. Waits in this process for the next run when
   * none is under way. Throws `INVALID_MESSAGE` when a thousand wait already.
   */
  inject(session: { readonly id: string }, message: string | Message): void {
    liveSessionsOf(this.#ports.store).inboxOf(session.id).push(userMessageFrom(message))
  }

  /** Closes the store this agent made itself; one it was given stays open. May be called twice; waits for no run. */
  async close(): Promise<void> {
    if (this.#options.store === undefined) await (this.#closing ??= this.#ports.store.close())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Runs to the next stop and gives the result. The host's answers (approvals, results of its own tools) go on with
   * their run. Rejects when the store fails or the input cannot be used; whatever a model or a tool does is a result.
   */
  async run(input: RunInput, options: RunOptions = {}): Promise<RunResult> {
    return this.#take(input, options, whole())
  }

  /** The same run as a stream of updates. */
  stream(input: RunInput, options: RunOptions = {}): RunStream {
    return runStream((outbox) => this.#take(input, options, { streaming: true, outbox }))
  }

  /**
   * Goes on with a stored run: one whose approvals were decided, or whose process died. Rejects with `RUN_NOT_FOUND`,
   * `RUN_ENDED`, or `RUN_BUSY` while a living process works on it.
   */
  resume(runId: string, options: RunOptions = {}): RunStream {
    return runStream((outbox) => this.#resume(runId, options, [], { streaming: true, outbox }))
  }

  /** Calls one tool for the host, down the same pipeline, as a run of its own. */
  call(toolName: string, args: JsonObject, options: RunOptions = {}): RunStream {
    const hostCall = { name: toolName, arguments: JSON.stringify(args) }
    return runStream((outbox) =>
      this.#begin(() => plain([]), hostCall, options, { telling: { streaming: true, outbox }, inner: null }),
    )
  }

  /**
   * Records a person's answer to a request, once, with other arguments checked against this agent's tools. Nothing runs
   * here; `resume` goes on with its run. Rejects with `APPROVAL_REFUSED` for what is no answer at all.
   */
  async decide(answer: ApprovalAnswer): Promise<ApprovalVerdict> {
    return decideRequest(this.#ports, this.#tools.callable, answer)
  }

  /**
   * Settles a call in doubt as a person says: it took effect, it did not, or it is to be carried out once more. Nothing
   * runs here; `resume` goes on with its run.
   */
  async resolveCall(id: CallId, resolution: Resolution): Promise<ResolveVerdict> {
    requireResolution(id, resolution)
    const { store, stages } = this.#ports
    const record = (await store.journal.calls(runIdOf(id))).find((call) => call.id === id)
    const tools = record === undefined ? null : await toolsOfRun(store, record.runId, this.#tools.callable)
    const tool = record === undefined ? null : (tools?.get(record.tool) ?? null)
    return resolveCall(store, id, resolution, { ...stages, tool })
  }

  /**
   * This agent as a tool of another one: its calls go down the same pipeline, under the same guards and budget. Throws
   * `INVALID_OPTION` when it has no model.
   */
  asTool(options: AgentToolOptions): Tool<JsonObject> {
    requireAnyModel(this)
    const agent = { name: this.name, options: this.#options, tools: this.#tools.callable }
    return agentTool(agent, options, (inner, prompt) => new Agent(inner.options).#runInside(inner, prompt))
  }

  async #runInside(inner: InnerRun, prompt: string): Promise<RunResult> {
    const { store, stages } = this.#ports
    const { sessionId, limits, signal } = inner
    const options: RunOptions = { ...limits, signal, session: sessionHandle(sessionId, store) }
    for (;;) {
      const [known] = await store.journal.runs({ sessionId, limit: 1 })
      if (known === undefined)
        return this.#begin(() => plain(toMessages(prompt)), null, options, { telling: whole(), inner })
      if (known.status === 'ended') return this.#endedResult(known, [])
      try {
        return await this.#resumeOne(known.id, options, [], { telling: whole(), inner })
      } catch (error) {
        // The call is ours, so whoever still holds the run inside it lost the call: its lease runs out, or it ends first.
        if (!store.durable || signal.aborted || !isTakenElsewhere(error)) throw error
        const held = (await store.journal.run(known.id))?.lease
        await stages.clock.sleep(Math.max(1, (held?.until ?? 0) - stages.clock.now()), signal)
      }
    }
  }

  async #take(input: RunInput, options: RunOptions, telling: Telling): Promise<RunResult> {
    if (isAnswers(input)) return this.#answer(input, options, telling)
    requireAnyModel(this)
    if (options.continuation !== undefined) {
      throw new FairleadError('INVALID_OPTION', 'A continuation goes with the answers to it, not with a new prompt.')
    }
    return this.#begin(() => plain(toMessages(input)), null, options, { telling, inner: null })
  }

  async #begin(
    opening: (stored: readonly Message[]) => Opening,
    hostCall: Drive['hostCall'],
    options: RunOptions,
    way: Way,
  ): Promise<RunResult> {
    const { telling, inner } = way
    const settings = this.#settings(options)
    const kind = hostCall === null ? 'agent' : 'call'
    const parent = inner?.parent ?? null
    // Without a conversation to come back to, a host must see everything that waits.
    const showsWholeBatch = this.#options.showWholeBatch ?? options.session === undefined
    const begun = await beginRun(
      this.#ports,
      { agent: this.name, kind, parent, showsWholeBatch, guards: guardNames(settings.chains) },
      options,
    )
    const { added, refused, changes } = opening(begun.stored)
    const stopped = await driveRun({
      settings: inner === null ? settings : { ...settings, depth: inner.depth },
      telling,
      run: begun.run,
      worker: begun.worker,
      spent: spentBy(begun.earlier),
      stored: begun.stored,
      added,
      opening: begun.opening,
      openCalls: [],
      pastCalls: [],
      hostCall,
      refused,
      resumed: false,
      changes,
    })
    return isDecidedMeanwhile(stopped) ? this.#goOn(stopped, options, way) : stopped
  }

  /** A run inside a call goes on through the call: what is resumed is the run a host started. */
  async #resume(
    runId: string,
    options: RunOptions,
    refused: readonly RefusedAnswer[],
    telling: Telling,
  ): Promise<RunResult> {
    const { store, approvalSecret } = this.#ports
    if (options.continuation !== undefined) await unpackRun(store, options.continuation, approvalSecret)
    return this.#resumeOne(await rootOf(store, runId), options, refused, { telling, inner: null })
  }

  async #resumeOne(
    runId: string,
    options: RunOptions,
    refused: readonly RefusedAnswer[],
    way: Way,
  ): Promise<RunResult> {
    const live = liveSessionsOf(this.#ports.store)
    for (let tries = 1; ; tries++) {
      const given = live.givenTo(runId)
      try {
        const stopped = await this.#resumeOnce(runId, options, refused, way)
        return isDecidedMeanwhile(stopped) ? await this.#goOn(stopped, options, way) : stopped
      } catch (error) {
        // What the run was given is still its own when it is taken up again.
        if (given !== undefined) live.keep(runId, given)
        if (tries === mostTries || !isLostToDecision(error)) throw error
      }
    }
  }

  /** Whoever decided found the run busy and could not wake it: it goes on here, unless somebody else took it up. */
  async #goOn(stopped: RunResult, options: RunOptions, way: Way): Promise<RunResult> {
    try {
      return await this.#resumeOne(stopped.runId, options, stopped.refused, way)
    } catch (error) {
      if (isTakenElsewhere(error)) return stopped
      throw error
    }
  }

  async #resumeOnce(
    runId: string,
    options: RunOptions,
    refused: readonly RefusedAnswer[],
    { telling, inner }: Way,
  ): Promise<RunResult> {
    const live = liveSessionsOf(this.#ports.store)
    const given = live.givenTo(runId)
    const settings = this.#settings({ ...given?.options, ...present(options) })
    await requireGuards(this.#ports.store, runId, settings.chains)
    const claimed = await claimRun(this.#ports, runId)
    live.forget(runId)
    return driveRun({
      settings: inner === null ? settings : { ...settings, depth: inner.depth },
      telling,
      run: claimed.run,
      worker: claimed.worker,
      spent: spentBy(await earlierRuns(this.#ports.store, claimed.run)),
      stored: claimed.stored,
      added: [],
      opening: [],
      openCalls: claimed.openCalls,
      pastCalls: claimed.pastCalls,
      hostCall: null,
      refused,
      resumed: true,
      changes: given?.changes ?? null,
    })
  }

  async #answer(answers: readonly HostAnswer[], options: RunOptions, telling: Telling): Promise<RunResult> {
    const { store, approvalSecret } = this.#ports
    const { hosted, own } = splitAnswers(answers)
    if (own.length === 0 && hosted.length > 0) return this.#answerProvider(hosted, options, telling)
    const { chains, providers, tools } = this.#settings(options)
    if (options.continuation !== undefined) await unpackRun(store, options.continuation, approvalSecret)
    const taken = await takeHostAnswers(own, {
      ports: this.#ports,
      tools: tools.callable,
      passesMiddleware: chains.function.length > 0 || providers.length > 0,
      session: options.session,
    })
    const refused = [...taken.refused, ...hosted.map(({ id }) => ({ id: String(id), reason: waitsForOthers }))]
    const run = await store.journal.run(await rootOf(store, taken.runId))
    if (run?.status === 'ended') return this.#endedResult(run, refused)
    return this.#resume(taken.runId, options, refused, telling)
  }

  /** What a provider asked is answered with the next run of the conversation. */
  async #answerProvider(
    answers: readonly HostedApprovalResponsePart[],
    options: RunOptions,
    telling: Telling,
  ): Promise<RunResult> {
    const { store } = this.#ports
    const session = options.session ?? sessionHandle(await conversationOf(answers, store), store)
    const asking = await runThatAsked(store, session.id)
    const given = asking === undefined ? undefined : liveSessionsOf(store).givenTo(asking.id)
    const asBefore: RunOptions =
      asking === undefined ? {} : { principal: asking.principal, environment: asking.environment }
    const going = { ...given?.options, ...asBefore, ...present(options), session }
    if (asking !== undefined) await requireGuards(store, asking.id, this.#settings(going).chains)
    const take = (stored: readonly Message[]): Opening => {
      const taken = takeHosted(answers, stored, asking?.id ?? null)
      return { ...taken, changes: given?.changes ?? null }
    }
    const result = await this.#begin(take, null, going, { telling, inner: null })
    if (asking !== undefined) liveSessionsOf(store).forget(asking.id)
    return result
  }

  async #endedResult(run: RunRecord, refused: readonly RefusedAnswer[]): Promise<RunResult> {
    const messages = (await this.#ports.store.sessions.get(run.sessionId))?.messages ?? []
    const stopReason = run.stopReason ?? 'aborted'
    return resultOf({ run, stopReason, messages, requests: noRequests, continuation: null, refused })
  }

  #settings(options: RunOptions): DriveSettings {
    requireRunOptions(options)
    const { price, services, logger, model, contextProviders, history, compaction } = this.#options
    const tools = options.tools === undefined ? this.#tools : this.#tools.with(collectTools(options.tools, 'run.tools'))
    return {
      ports: this.#ports,
      tools,
      chains:
        options.middleware === undefined
          ? this.#chains
          : nestChains(this.#chains, collectMiddleware(options.middleware, 'run.middleware')),
      providers: contextProviders ?? none,
      history: bothHistories(history, compaction),
      agent: this.name,
      given: givenBy(options),
      partialAnswers: this.#options.partialAnswers ?? 'wait',
      approvalMode: this.#options.approvalMode ?? 'all',
      model: model ?? null,
      instructions: joined(this.#options.instructions, options.instructions),
      limits: readLimits(options, this.#limits),
      sessionLimits: this.#sessionLimits,
      price: price ?? unknownPrice,
      toolChoice: readToolChoice(options.toolChoice ?? 'auto', tools),
      services,
      logger: logger === undefined ? quiet : unfailing(logger),
      signal: options.signal,
      depth: 0,
    }
  }
}

/** How often a drive that lost to somebody's decision begins anew before it gives up. */
const mostTries = 10

/** What a run adds to its conversation before its first turn, and the answers that were not taken. */
type Opening = {
  readonly added: readonly Message[]
  readonly refused: readonly RefusedAnswer[]
  readonly changes: ToolChanges | null
}

function plain(added: readonly Message[]): Opening {
  return { added, refused: none, changes: null }
}

/** Who hears of a run, and the call it lies inside of, if any. */
type Way = { readonly telling: Telling; readonly inner: InnerRun | null }

function whole(): Telling {
  return { streaming: false, outbox: deafOutbox() }
}

const quiet = { info: (): void => undefined, warn: (): void => undefined }
const unknownPrice = (): null => null
const none: readonly never[] = []
