import type { Json } from '../json/json.ts'

/** A program to run under a sandbox's rules. `timeoutMs` is for the whole run. */
export type SandboxCommand = {
  readonly argv: readonly string[]
  readonly input?: string
  readonly environment?: { readonly [name: string]: string }
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** How the program ended. Output is cut by the sandbox; `violations` names what it tried and was not allowed. */
export type SandboxOutcome = {
  readonly exitCode: number | null
  readonly output: string
  readonly errors: string
  readonly violations: readonly string[]
}

/**
 * Runs programs under the rules of a named profile. Rejects with a coded error when the profile is not known or the
 * rules cannot be enforced here: a command never runs with less than its profile.
 */
export interface Sandbox {
  run(profile: string, command: SandboxCommand): Promise<SandboxOutcome>
  /** What this sandbox can enforce on this machine, for people. */
  describe(): Json
}
