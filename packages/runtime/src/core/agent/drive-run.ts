import { AbortFan } from '../call/abort-fan.ts'
import { LiveCall } from '../call/live-call.ts'
import { Pipeline } from '../call/pipeline.ts'
import type { ToolLogger } from '../call/invocation-context.ts'
import type { ChatClient, ToolDefinition } from '../chat/chat-client.ts'
import type { Message } from '../content/message.ts'
import type { LoopLimits } from '../loop/loop-limits.ts'
import { Outbox } from '../loop/outbox.ts'
import { runLoop } from '../loop/run-loop.ts'
import { RunWriter } from '../loop/run-writer.ts'
import type { RunUpdate } from '../loop/run-update.ts'
import type { JournalEntry } from '../ports/journal.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { Tool } from '../tool/tool.ts'
import { judgedNow } from '../approval/decide-approval.ts'
import type { AgentPorts } from './default-ports.ts'
import { keepLease } from './keep-lease.ts'
import { resultOf, type RefusedAnswer, type RunResult } from './run-result.ts'

/** What drives a run, new or resumed. */
export type Drive = {
  readonly ports: AgentPorts
  readonly tools: ReadonlyMap<string, Tool>
  readonly definitions: readonly ToolDefinition[]
  readonly model: ChatClient | null
  readonly instructions: string | undefined
  readonly limits: LoopLimits
  readonly services: unknown
  readonly logger: ToolLogger
  readonly streaming: boolean
  readonly signal: AbortSignal | undefined
  readonly run: RunRecord
  readonly worker: string
  /** The conversation as stored, and what this run adds before its first turn. */
  readonly stored: readonly Message[]
  readonly added: readonly Message[]
  readonly opening: readonly JournalEntry[]
  /** Calls of an unfinished turn, as stored. */
  readonly openCalls: readonly CallRecord[]
  /** Of those, the ones the host proposes itself and the journal has not seen. */
  readonly hostCall: { readonly name: string; readonly arguments: string } | null
  readonly refused: readonly RefusedAnswer[]
}

/** Drives a run to its next stop. The same generator serves the stream and the call that waits. */
export async function* driveRun(drive: Drive): AsyncGenerator<RunUpdate, RunResult> {
  const { ports, run } = drive
  const { store, stages } = ports
  const fan = new AbortFan(drive.signal)
  const outbox = new Outbox(drive.streaming)
  const writer = new RunWriter({
    run,
    messages: drive.stored,
    opening: drive.opening,
    journal: store.journal,
    recorder: stages.recorder,
    clock: stages.clock,
    worker: drive.worker,
    guarded: store.durable,
    emit: outbox.push,
  })
  const pipeline = new Pipeline(stages, {
    runId: run.id,
    traceId: run.traceId,
    sessionId: run.sessionId,
    principal: run.principal,
    environment: run.environment,
    services: drive.services,
    tools: drive.tools,
    fan,
    logger: drive.logger,
    progress: (callId, update) => outbox.push({ kind: 'tool-progress', callId, update }),
  })
  const stopRenewing = store.durable ? keepLease(writer, { clock: stages.clock, leaseMs: ports.leaseMs, fan }) : null
  try {
    yield { kind: 'run-started', run }
    for (const message of drive.added) writer.addMessage(message)
    const openCalls = drive.openCalls.map((call) => LiveCall.stored(call, drive.tools.get(call.tool) ?? null))
    const stopReason = yield* runLoop({
      model: drive.model,
      instructions: drive.instructions,
      definitions: drive.definitions,
      limits: drive.limits,
      pipeline,
      writer,
      outbox,
      approvals: store.approvals,
      streaming: drive.streaming,
      openCalls: openCalls.length > 0 ? openCalls : null,
      hostCall: drive.hostCall,
    })
    yield { kind: 'run-stopped', run: writer.run, stopReason }
    const pending =
      stopReason === 'approval_required' ? await store.approvals.list({ runId: run.id, status: 'pending' }) : []
    const now = stages.clock.now()
    return resultOf({
      run: writer.run,
      stopReason,
      messages: writer.messages,
      approvals: pending.filter((approval) => judgedNow(approval, now).status === 'pending'),
      refused: drive.refused,
    })
  } catch (error) {
    // Whatever still runs hears that nobody waits for it any more.
    fan.abort(error)
    throw error
  } finally {
    fan.close()
    await stopRenewing?.()
  }
}
