import { memoryStore } from '../memory/memory-store.ts'
import { invocations } from '../call/follow-invocations.ts'
import { operatingSystemUser } from '../platform/operating-system-user.ts'
import { randomIds } from '../platform/random-ids.ts'
import { sha256 } from '../platform/sha256.ts'
import { systemClock } from '../platform/system-clock.ts'
import { runInWorker } from '../platform/run-in-worker.ts'
import { isWorkerGone, workerIdentity } from '../platform/worker-identity.ts'
import { directObservation } from '../call/observe.ts'
import { frozenPrincipal } from './frozen-principal.ts'
import type { StagePorts } from '../call/stage-ports.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Executor } from '../ports/executor.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Workers } from '../ports/workers.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Principal } from '../call/call-record.ts'
import type { Store } from '../ports/journal.ts'
import type { AgentOptions } from './agent-options.ts'
import { requireSecret } from './continuation.ts'

const day = 24 * 60 * 60 * 1000

/** Runs the tool here and now, or in its own thread. The only line of Fairlead that calls a tool's `execute`. */
export const directExecutor: Executor = {
  execute: (tool, args, context) =>
    tool.behaviour.worker === null
      ? tool.execute?.(args as never, context as never)
      : runInWorker(tool.behaviour.worker, args, context),
}

/** Refuses every program: core has no walls to put around one. */
export const noSandbox: Sandbox = {
  run: (profile) =>
    Promise.reject(
      new ToolError('SANDBOX_VIOLATION', `No sandbox is configured, so nothing runs under profile "${profile}".`),
    ),
  describe: () => ({ enforces: [] }),
}

/** Has no secrets. */
export const noSecrets: Secrets = {
  lease: (name) =>
    Promise.reject(new ToolError('PERMISSION_DENIED', `No secrets are configured; "${name}" was asked for.`)),
}

/** Everything an agent works with, defaults filled in once. */
export type AgentPorts = {
  readonly store: Store
  readonly stages: StagePorts
  readonly workers: Workers
  readonly principal: Principal
  readonly environment: string
  readonly leaseMs: number
  readonly approvalSecret: string | null
}

/** The one place where core meets its defaults. */
export function portsFrom(options: AgentOptions): AgentPorts {
  const store = options.store ?? memoryStore()
  return {
    store,
    workers: options.workers ?? { identity: workerIdentity, isGone: isWorkerGone },
    principal: frozenPrincipal(options.principal ?? { id: operatingSystemUser() }),
    environment: options.environment ?? 'dev',
    leaseMs: positive('leaseMs', options.leaseMs ?? 15_000),
    approvalSecret: requireSecret(options.approvalSecret),
    stages: {
      journal: store.journal,
      recorder: options.recorder ?? null,
      labels: options.labels ?? null,
      policy: options.policy ?? null,
      executor: options.executor ?? directExecutor,
      observation: options.observation ?? directObservation,
      clock: options.clock ?? systemClock,
      ids: options.ids ?? randomIds(),
      hash: options.hash ?? sha256,
      secrets: options.secrets ?? noSecrets,
      sandbox: options.sandbox ?? noSandbox,
      ambient: invocations,
      approvalTtlMs: positive('approvalTtlMs', options.approvalTtlMs ?? day),
      includeDetailedErrors: options.includeDetailedErrors ?? false,
    },
  }
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw new FairleadError(
    'INVALID_OPTION',
    `${name} must be a positive number of milliseconds; found ${String(value)}.`,
  )
}
