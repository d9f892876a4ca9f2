import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { behave, ledgerOf } from './ask-remote.ts'
import { buildPrograms } from './build-programs.ts'
import { startChild, type Child, type Ended } from './child-process.ts'
import type { Behaviour, Ledger } from './ledger.ts'
import type { Line, Order } from './order.ts'

/** A worker: a process with an agent, a store and an order. */
export type Worker = {
  /** Lets it begin, once it is ready. */
  begin(): Promise<void>
  /** Resolves once it has stopped itself at its point. */
  stopped(): Promise<void>
  send(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  readonly ended: Promise<Ended & { readonly lines: readonly Line[] }>
}

/** One place to crash in: a store file, and a ledger at the remote. */
export type Bench = {
  readonly file: string
  readonly remote: string
  ledger(): Promise<Ledger>
  behave(behaviours: readonly Behaviour[]): Promise<void>
  /** Starts a worker; it waits for `begin`. */
  start(order: Omit<Order, 'file' | 'remote'>, shell?: string): Worker
  /** Starts a worker, lets it begin and waits for its end. */
  run(order: Omit<Order, 'file' | 'remote'>, shell?: string): Promise<Awaited<Worker['ended']>>
  /** Removes its files at once; else they go with the lab. */
  remove(): void
}

/** The built programs and the one remote all benches of a test share. */
export type Lab = {
  bench(): Bench
  close(): Promise<void>
}

/** Builds the programs and starts the remote. */
export async function openLab(): Promise<Lab> {
  const programs = await buildPrograms()
  const remote = startChild(programs.remote, [])
  const port = await remote.printed((line) => /^\d+$/.test(line))
  const slots = slotsOf(workersAtOnce)
  const base = mkdtempSync(join(tmpdir(), 'fairlead-crash-'))
  let benches = 0
  return {
    bench() {
      const name = `bench-${++benches}`
      const folder = join(base, name)
      mkdirSync(folder)
      return benchIn(folder, { remote: `http://127.0.0.1:${port}/${name}`, program: programs.worker, slots })
    },
    async close() {
      remote.endInput()
      await remote.ended
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** More at once only wait for each other. */
const workersAtOnce = 3

type Slots = <T>(work: () => Promise<T>) => Promise<T>

/** Lets so many pieces of work go on at once; the others wait their turn. */
function slotsOf(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free--
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

function benchIn(
  folder: string,
  setting: { readonly remote: string; readonly program: string; readonly slots: Slots },
): Bench {
  const { remote, program, slots } = setting
  const file = join(folder, 'store.db')
  const start = (order: Omit<Order, 'file' | 'remote'>, shell?: string): Worker =>
    workerOf(startChild(program, [JSON.stringify({ ...order, file, remote } satisfies Order)], shell))
  return {
    file,
    remote,
    start,
    ledger: () => ledgerOf(remote),
    behave: (behaviours) => behave(remote, behaviours),
    run: (order, shell) =>
      slots(async () => {
        const worker = start(order, shell)
        await worker.begin()
        return worker.ended
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function workerOf(child: Child): Worker {
  return {
    async begin() {
      await child.printed((line) => line.includes('"ready"'))
      child.write('go\n')
    },
    async stopped() {
      await child.printed((line) => line.includes('"stopping"'))
    },
    send: (signal) => child.send(signal),
    ended: child.ended.then((ended) => ({ ...ended, lines: child.lines.map((line) => JSON.parse(line) as Line) })),
  }
}
