import { recordExecution, answerCall } from './answer-call.ts'
import { CallSignal } from './call-signal.ts'
import { Invocation } from './invocation.ts'
import type { LiveCall } from './live-call.ts'
import type { ExecutionOutcome } from './execution-outcome.ts'
import { normaliseOutcome } from './normalise-outcome.ts'
import { answered, patienceOf, type Stage } from './stage.ts'
import type { Opened } from './stage-ports.ts'
import { withinRun } from './within-run.ts'

/** What a remote knows of a call: it took effect (and how), it surely did not, or nothing certain. */
type Probe =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unsure' }

/** How long the remote may take to answer where the tool says nothing, in milliseconds. */
const patienceMs = 30_000

const unsure: Probe = { kind: 'unsure' }

/**
 * Asks the tool's `reconcile` whether a call that was lost took effect. Done: it is settled with what the remote says.
 * Surely not: it may run again. Anything else, a failure of the question included, leaves it in doubt.
 */
export async function reconcileCall(call: LiveCall, stage: Stage): Promise<Opened | 'in-doubt'> {
  const probe = await ask(call, stage)
  const { clock } = stage.ports
  switch (probe.kind) {
    case 'done': {
      const outcome = await normaliseOutcome(call, { kind: 'returned', value: probe.value }, stage.ports)
      // The remote says it happened: whatever the form of its answer, it is no failure.
      const settled: ExecutionOutcome = { ...outcome, state: 'Succeeded' }
      recordExecution(call, settled, 0, { clock })
      await answerCall(call, { kind: 'passed', outcome: settled, latencyMs: 0, by: 'reconcile' }, stage)
      return answered
    }
    case 'absent':
      call.move('Failed', clock.now(), { errorCode: 'PROCESS_LOST' })
      call.move('Retried', clock.now(), { because: 'the remote says that the call did not take effect' })
      return { kind: 'ready' }
    case 'unsure':
      return 'in-doubt'
    default:
      return probe satisfies never
  }
}

async function ask(call: LiveCall, stage: Stage): Promise<Probe> {
  const { tool, record } = call
  const reconcile = tool?.behaviour.reconcile ?? null
  const args = record.arguments
  if (reconcile === null || args === null) return unsure
  const { ports, scope } = stage
  const signal = new CallSignal(scope.fan)
  const context = new Invocation(call, scope, signal, ports)
  const asking = (async (): Promise<Probe> =>
    readProbe(await ports.ambient.run(context, () => reconcile(args as never, context as never))))()
  // The question has the tool's own time: a remote that does not answer must not keep the run from stopping.
  const patience = patienceOf(stage)
  const ownMs = tool?.contract.timeoutMs ?? patienceMs
  const remainingMs = Math.min(ownMs, patience.remainingMs ?? ownMs)
  const waited = await withinRun(asking, { ...patience, remainingMs })
  if (waited.kind === 'late') signal.abort(new DOMException('Nobody waits for the answer any more.', 'TimeoutError'))
  if (waited.kind === 'aborted') signal.abort(scope.fan.reason)
  signal.close()
  return waited.kind === 'done' ? waited.value : unsure
}

/** Whatever is no plain answer, a getter that throws included, says nothing certain. */
function readProbe(value: unknown): Probe {
  if (typeof value !== 'object' || value === null || !('done' in value)) return unsure
  const { done } = value
  if (done === true) return { kind: 'done', value: 'result' in value ? value.result : null }
  return done === false ? { kind: 'absent' } : unsure
}
