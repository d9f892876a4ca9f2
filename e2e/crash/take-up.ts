import type { RunResult } from '@fairlead/runtime/core'
import { sqliteStore } from '@fairlead/store'
import { expect } from 'vitest'
import { deskAgent, type DeskSetting } from './desk-agent.ts'
import { findViolations } from './find-violations.ts'
import { integrityOf } from './sqlite-file.ts'
import type { Bench } from './lab.ts'
import { lookAtStore, type Seen, type SeenRun } from './look-at-store.ts'
import type { Order, Script, ScriptedCall } from './order.ts'

/** A script of one turn with these calls, then words. */
export function scriptOf(...calls: readonly (ScriptedCall | string)[]): Script {
  const whole = calls.map((call) => (typeof call === 'string' ? callOf(call) : call))
  return { turns: [{ text: 'I call.', calls: whole }, 'Done.'], inner: ['Helped.'] }
}

/** A call of a tool about an item of the tool's own name. */
export function callOf(name: string, args: ScriptedCall['arguments'] = {}): ScriptedCall {
  return { name, arguments: { item: name, ...args } }
}

/** Runs a worker that has to die at its point; gives back what the store then holds. */
export async function killed(bench: Bench, order: Omit<Order, 'file' | 'remote'>): Promise<Seen> {
  const { signal, lines, errors } = await bench.run(order)
  expect({ signal, errors, lines: lines.map(({ kind }) => kind) }).toMatchObject({ signal: 'SIGKILL', errors: '' })
  return holding(bench)
}

/** What the store holds; nothing of it may be wrong. */
export async function holding(bench: Bench, shown: ReadonlySet<string> = new Set()): Promise<Seen> {
  const seen = await lookAtStore(bench.file)
  expect(findViolations(seen, await bench.ledger(), shown)).toEqual([])
  expect(integrityOf(bench.file)).toBe('ok')
  return seen
}

/** The run a host started. */
export function rootRun({ runs }: Seen): SeenRun {
  const root = runs.find(({ run }) => run.parent === null)
  if (root === undefined) throw new Error('The store holds no run.')
  return root
}

/** The states of the calls of the run a host started, in their order. */
export function statesOf(seen: Seen): readonly string[] {
  return rootRun(seen).calls.map(({ state }) => state)
}

/** Goes on with the run in this process, which is another one than the one that died. */
export async function takeUp(bench: Bench, setting: Omit<DeskSetting, 'remote'>, runId: string): Promise<RunResult> {
  await using store = sqliteStore({ file: bench.file })
  return await deskAgent(store, { ...setting, remote: bench.remote }).resume(runId).result
}

/** The tools that took effect at the remote, in order. */
export async function effectsOf(bench: Bench): Promise<readonly string[]> {
  return (await bench.ledger()).effects.map(({ tool }) => tool)
}

/** Waits until something is so, looking every few milliseconds; the test's own time-out ends it. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}
