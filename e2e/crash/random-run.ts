import { findViolations } from './find-violations.ts'
import { integrityOf } from './sqlite-file.ts'
import type { Bench, Worker } from './lab.ts'
import { lookAtStore, type Seen } from './look-at-store.ts'
import type { Fuse, Line, Order, Task } from './order.ts'
import { randomTasks } from './random-person.ts'
import { randomScript } from './random-script.ts'
import { seeded, type Random } from './seeded.ts'

/** What one run came to that was killed again and again. */
export type CrashReport = {
  readonly seed: number
  /** How many processes were killed, by what killed them: a point, or the time. */
  readonly kills: { readonly [by: string]: number }
  readonly pauses: number
  readonly workers: number
  readonly effects: number
  /** What was wrong, with what was done before it; empty when all held. */
  readonly violations: readonly string[]
}

/** A run that waits for what never comes would be tried for ever: that is a violation too. */
const mostRounds = 60

/** Failures that mean "somebody else is at it"; everything else a worker cannot do is a violation. */
const overtaken = new Set(['RUN_BUSY', 'RUN_ENDED', 'JOURNAL_CONFLICT', 'APPROVAL_REFUSED'])

/**
 * One run of a scripted agent, killed at random moments and taken up again by one or two processes at once, while people
 * decide, answer and resolve at random, until it has ended. The same seed gives the same script and the same plans; the
 * machine's own timing differs.
 */
export async function randomRun(bench: Bench, seed: number): Promise<CrashReport> {
  const random = seeded(seed)
  const { script, behaviours } = randomScript(random)
  await bench.behave(behaviours)
  const story: string[] = []
  const violations: string[] = []
  const kills: { [by: string]: number } = {}
  const shown = new Set<string>()
  let budget = 3 + random.below(10)
  let pauses = 0
  let workers = 0
  for (let round = 1; ; round++) {
    const seen = await lookAtStore(bench.file)
    violations.push(...findViolations(seen, await bench.ledger(), shown))
    const integrity = integrityOf(bench.file)
    if (integrity !== 'ok') violations.push(`the file is damaged: ${integrity}`)
    if (violations.length > 0 || isOver(seen)) break
    if (round > mostRounds) {
      violations.push(`the run has not ended after ${mostRounds} rounds`)
      break
    }
    const pausing = budget > 0 && random.chance(0.08)
    const plans = await plansFor(seen, bench, { random, mayDie: budget > 0, pausing })
    const orders = plans.map(({ tasks, fuse }): Omit<Order, 'file' | 'remote'> => ({
      script,
      tasks,
      windowMs: 3_600_000,
      ...(fuse === null ? {} : { fuse }),
      ...(pausing ? { leaseMs: pausedLeaseMs } : {}),
    }))
    const started = orders.map((order) => bench.start(order))
    workers += started.length
    const run = pausing ? pauseOne(started) : Promise.all(started.map((worker, index) => letRun(worker, plans[index])))
    if (pausing) pauses++
    for (const [index, { signal, code, errors, lines }] of (await run).entries()) {
      const told = lines.filter(({ kind }) => kind !== 'ready').map((line) => toldOf(line))
      story.push(`${round}.${index} ${JSON.stringify(plans[index])} → ${signal ?? code}: ${told.join('; ')}`)
      if (signal === 'SIGKILL') {
        budget--
        const by = lines.findLast((line) => line.kind === 'stopping')?.point ?? 'time'
        kills[by] = (kills[by] ?? 0) + 1
      } else if (code !== 0 || errors !== '') violations.push(`a worker failed: ${code ?? signal} ${errors}`)
      for (const line of lines) {
        if (line.kind === 'stopped') for (const { id } of line.approvals) shown.add(id)
        if (line.kind === 'failed' && !overtaken.has(line.code)) violations.push(`${line.code}: ${line.message}`)
      }
    }
  }
  const { effects } = await bench.ledger()
  const told = violations.length === 0 ? [] : [...violations, `script: ${JSON.stringify(script)}`, ...story]
  return { seed, kills, pauses, workers, effects: effects.length, violations: told }
}

/** Ended, and nobody has to say anything any more about a call in doubt. */
function isOver({ runs, open }: Seen): boolean {
  return runs.length > 0 && open.length === 0 && runs.every(({ run }) => run.status === 'ended')
}

/** What a worker will do, and what will happen to it. */
type Plan = { readonly tasks: readonly Task[]; readonly fuse: Fuse | null; readonly killAfterMs: number | null }

async function plansFor(
  seen: Seen,
  bench: Bench,
  { random, mayDie, pausing }: { readonly random: Random; readonly mayDie: boolean; readonly pausing: boolean },
): Promise<readonly Plan[]> {
  const ledger = await bench.ledger()
  const root = seen.runs.find(({ run }) => run.parent === null)
  const count = pausing || (root !== undefined && random.chance(0.3)) ? 2 : 1
  return Array.from({ length: count }, (_, index): Plan => {
    const tasks = root === undefined ? [] : [...randomTasks(seen, ledger, random, `person ${index + 1}`)]
    if (root === undefined) tasks.push({ do: 'start', sessionId: 'session_random' })
    else if (root.run.status !== 'ended' && random.chance(0.85)) tasks.push({ do: 'resume', runId: root.run.id })
    return { tasks, ...(pausing ? pauseFor(index, random) : deathFor(mayDie && random.chance(0.95), random)) }
  })
}

/** About how many points of a kind a worker passes. */
const mostPassed = { '*': 20, clock: 14, write: 6 } as const

/** By point: any of the next ones. By time: within what a worker usually takes. */
function deathFor(dies: boolean, random: Random): Pick<Plan, 'fuse' | 'killAfterMs'> {
  if (!dies) return { fuse: null, killAfterMs: null }
  if (random.chance(0.35)) return { fuse: null, killAfterMs: random.below(60) }
  const point = random.pick<'*' | 'clock' | 'write'>(['*', '*', 'clock', 'write'])
  return { fuse: { point, nth: 1 + random.below(mostPassed[point]) }, killAfterMs: null }
}

function pauseFor(index: number, random: Random): Pick<Plan, 'fuse' | 'killAfterMs'> {
  return index > 0
    ? { fuse: null, killAfterMs: null }
    : { fuse: { point: '*', nth: 1 + random.below(24), signal: 'SIGSTOP' }, killAfterMs: null }
}

async function letRun(worker: Worker, plan: Plan | undefined): Promise<Awaited<Worker['ended']>> {
  await worker.begin()
  const after = plan?.killAfterMs ?? null
  const timer = after === null ? null : setTimeout(() => worker.send('SIGKILL'), after)
  const ended = await worker.ended
  if (timer !== null) clearTimeout(timer)
  return ended
}

const pausedLeaseMs = 250

/** The first stops in the middle of something, past its lease; the second goes on meanwhile; then the first wakes up. */
async function pauseOne([paused, other]: readonly Worker[]): Promise<readonly Awaited<Worker['ended']>[]> {
  if (paused === undefined || other === undefined) return []
  await paused.begin()
  const isPaused = await Promise.race([paused.stopped().then(() => true), paused.ended.then(() => false)])
  if (isPaused) await new Promise((resolve) => setTimeout(resolve, pausedLeaseMs * 1.4))
  await other.begin()
  const later = await other.ended
  paused.send('SIGCONT')
  return [await paused.ended, later]
}

function toldOf(line: Line): string {
  switch (line.kind) {
    case 'stopping':
      return `at ${line.point}`
    case 'stopped':
      return [line.stopReason, ...line.refused].join(' ')
    case 'verdict':
      return line.verdict
    case 'failed':
      return `${line.code} ${line.message}`
    case 'ready':
      return line.kind
    default:
      return line satisfies never
  }
}
