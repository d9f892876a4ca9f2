import type { Approval, ApprovalAnswer, CallId, HostAnswer, JsonObject, Resolution } from '@fairlead/runtime/core'

/** One call of a scripted turn. Every tool of the desk takes an item; a gated one asks a person first. */
export type ScriptedCall = { readonly name: string; readonly arguments: JsonObject }

/** What the model says, turn by turn, and what the model of the agent inside `delegate` says. The last turns are words. */
export type Script = {
  readonly turns: readonly ({ readonly text: string; readonly calls: readonly ScriptedCall[] } | string)[]
  readonly inner: readonly ({ readonly text: string; readonly calls: readonly ScriptedCall[] } | string)[]
}

/**
 * Where a worker kills (or stops) itself: the `nth` time (from 1) it passes a point. `*` is any point but `clock`, `write`
 * any before or after a write.
 */
export type Fuse = { readonly point: string; readonly nth?: number; readonly signal?: 'SIGKILL' | 'SIGSTOP' }

/** What a worker is told to do, in order. It prints one line for each. */
export type Task =
  | { readonly do: 'start'; readonly sessionId?: string }
  | { readonly do: 'resume'; readonly runId: string }
  /** Decisions alone: nobody goes on with the run. */
  | { readonly do: 'decide'; readonly answers: readonly ApprovalAnswer[] }
  /** The host's answers, and on with the run. */
  | { readonly do: 'answer'; readonly answers: readonly HostAnswer[] }
  | { readonly do: 'resolve'; readonly callId: CallId; readonly resolution: Resolution }

/** Everything a worker is told; the one argument of its program, as JSON. */
export type Order = {
  /** The store. */
  readonly file: string
  /** The remote's address, with the name of its ledger. */
  readonly remote: string
  readonly script: Script
  readonly tasks: readonly Task[]
  readonly fuse?: Fuse
  readonly leaseMs?: number
  /** Of the agent inside `delegate`; default as the outer one's. */
  readonly innerLeaseMs?: number
  /** How far this process's clock is ahead, in milliseconds. */
  readonly clockAheadMs?: number
  /** The version of every tool. */
  readonly version?: string
  /** Tools that policy forbids. */
  readonly denied?: readonly string[]
  /** How long the remote honours keys, in milliseconds, of the tool that says so. */
  readonly windowMs?: number
  readonly lockTimeoutMs?: number
}

/** What a worker prints. */
export type Line =
  | { readonly kind: 'ready' }
  | { readonly kind: 'stopping'; readonly point: string }
  | {
      readonly kind: 'stopped'
      readonly runId: string
      readonly stopReason: string
      readonly text: string
      readonly approvals: readonly Pick<Approval, 'id' | 'tool' | 'arguments'>[]
      readonly refused: readonly string[]
    }
  | { readonly kind: 'verdict'; readonly verdict: string; readonly by: string | null }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
