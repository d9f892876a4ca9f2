import { resolve } from 'node:path'
import { FairleadError } from '@fairlead/runtime/core'
import type { ApprovalStore, EvidenceStore, Journal, RuleStore, SessionStore, Store } from '@fairlead/runtime/core'
import type { Kysely } from 'kysely'
import { retryWhileBusy } from './connection/busy-retry.ts'
import { isFailure } from './connection/sqlite-failure.ts'
import { damagedStore, isDamage } from './damaged-store.ts'
import { lastingDatabase } from './lasting-database.ts'
import { readApproval, readApprovals } from './read/read-approvals.ts'
import { readCalls, readCallsInState } from './read/read-calls.ts'
import { readEvidence } from './read/read-evidence.ts'
import { readRule, readRules } from './read/read-rules.ts'
import { readRun, readRuns } from './read/read-runs.ts'
import { readSession } from './read/read-session.ts'
import type { StoreTables } from './schema/store-tables.ts'
import { commitBatches } from './write/commit-batches.ts'
import type { BatchFate } from './write/commit-batches.ts'
import { commitQueue } from './write/commit-queue.ts'
import { encodeBatch } from './write/encode-batch.ts'
import type { EncodedBatch } from './write/encode-batch.ts'

/** Where the store lies and how patient it is. Times in milliseconds. */
export type SqliteStoreOptions = {
  /** A path; file and folder are created where missing. */
  readonly file: string
  /** How long one statement may block this process while another one writes (default 10). */
  readonly busyTimeoutMs?: number
  /** How long an operation is tried again, without blocking, before it gives up (default 10,000). */
  readonly lockTimeoutMs?: number
}

/** How many batches were given and written, and how many commits that took. */
export type SqliteStatistics = { readonly batches: number; readonly written: number; readonly commits: number }

/** A store in one SQLite file. `await using` closes it at the end of its scope. */
export interface SqliteStore extends Store, AsyncDisposable {
  /** Resolves when the file is open and its schema is up to date; rejects with the reason it cannot be. */
  ready(): Promise<void>
  statistics(): SqliteStatistics
}

/**
 * Keeps everything in one SQLite file that several processes of one machine may use at the same time; not for network
 * file systems. Opening begins at once and in the background: the first operation, or `ready`, tells when it failed,
 * and the next one tries again. A resolved `append` survives the end of the process and, as far as the disk keeps its
 * promises, a loss of power. Where the file was deleted or replaced meanwhile, `append` and, after something was written,
 * `close` reject with `STORE_UNAVAILABLE`. `close` waits for what was appended and may be called twice; afterwards every
 * operation rejects with `STORE_UNAVAILABLE`. Throws `INVALID_OPTION`.
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  const settings = checked(options)
  const { file } = settings
  const database = lastingDatabase(settings)
  const counts = { batches: 0, written: 0, commits: 0 }
  let closing: Promise<void> | undefined
  let isLossTold = false

  async function commit(batches: readonly EncodedBatch[]): Promise<readonly BatchFate[]> {
    const { writer, requireSameFile } = await database.get()
    const requireFile = (): void => {
      try {
        requireSameFile()
      } catch (error) {
        isLossTold = true
        throw error
      }
    }
    try {
      requireFile()
      const fates = await retryWhileBusy(settings, () => commitBatches(writer, batches))
      requireFile()
      counts.commits += 1
      counts.written += fates.filter((fate) => fate.kind === 'written').length
      return fates
    } catch (error) {
      throw unavailable(file, 'write', error)
    }
  }

  /** An id that no column can hold belongs to nothing: the answer then is `absent`. */
  async function read<T>(absent: T, query: (database: Kysely<StoreTables>) => Promise<T>): Promise<T> {
    refuseIfClosed()
    const { reader } = await database.get()
    try {
      return await retryWhileBusy(settings, () => query(reader))
    } catch (error) {
      if (isFailure(error, 'refused')) return absent
      throw unavailable(file, 'read', error)
    }
  }

  function refuseIfClosed(): void {
    if (closing === undefined) return
    throw new FairleadError('STORE_UNAVAILABLE', `The store ${file} was closed. Open it again with sqliteStore().`)
  }

  const queue = commitQueue(commit)
  const reads = new Set<Promise<unknown>>()

  async function tracked<T>(absent: T, query: (database: Kysely<StoreTables>) => Promise<T>): Promise<T> {
    const running = read(absent, query)
    reads.add(running)
    try {
      return await running
    } finally {
      reads.delete(running)
    }
  }

  async function closeAll(): Promise<void> {
    await queue.idle()
    await Promise.allSettled(reads)
    await database.close(counts.written > 0 && !isLossTold)
  }

  const journal: Journal = {
    async append(batch) {
      refuseIfClosed()
      if (batch.length === 0) return
      const encoded = encodeBatch(batch)
      counts.batches += 1
      await queue.append(encoded)
    },
    run: (id) => tracked(undefined, (reader) => readRun(reader, id)),
    runs: (filter) => tracked([], (reader) => readRuns(reader, filter)),
    calls: (runId) => tracked([], (reader) => readCalls(reader, runId)),
    callsInState: (states, limit) => tracked([], (reader) => readCallsInState(reader, states, limit)),
  }
  const sessions: SessionStore = { get: (id) => tracked(undefined, (reader) => readSession(reader, id)) }
  const approvals: ApprovalStore = {
    get: (id) => tracked(undefined, (reader) => readApproval(reader, id)),
    list: (filter) => tracked([], (reader) => readApprovals(reader, filter)),
  }
  const rules: RuleStore = {
    get: (id) => tracked(undefined, (reader) => readRule(reader, id)),
    list: (filter) => tracked([], (reader) => readRules(reader, filter)),
  }
  const evidence: EvidenceStore = { get: (uri) => tracked(undefined, (reader) => readEvidence(reader, uri)) }
  const close = (): Promise<void> => (closing ??= closeAll())
  return {
    journal,
    sessions,
    approvals,
    rules,
    evidence,
    durable: true,
    async ready() {
      refuseIfClosed()
      await database.get()
    },
    statistics: () => ({ ...counts }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function checked(options: SqliteStoreOptions): Required<SqliteStoreOptions> {
  requireFile(options)
  const { file, busyTimeoutMs = 10, lockTimeoutMs = 10_000 } = options
  if (file === '' || file === ':memory:' || file.startsWith('file:')) {
    throw new FairleadError(
      'INVALID_OPTION',
      `file must be the path of a file, found "${file}". For a store that lives in memory use memoryStore().`,
    )
  }
  for (const [name, value] of Object.entries({ busyTimeoutMs, lockTimeoutMs })) {
    if (Number.isInteger(value) && value >= 0) continue
    throw new FairleadError(
      'INVALID_OPTION',
      `${name} must be a whole number of milliseconds from 0 up, found ${value}.`,
    )
  }
  return { file: resolve(file), busyTimeoutMs, lockTimeoutMs }
}

/** A program without types may write anything. */
function requireFile(options: unknown): void {
  const isObject = typeof options === 'object' && options !== null
  if (isObject && 'file' in options && typeof options.file === 'string') return
  const found = !isObject
    ? foundText(options)
    : 'file' in options
      ? `file: ${foundText(options.file)}`
      : `an object with ${Object.keys(options).join(', ') || 'nothing'}`
  throw new FairleadError(
    'INVALID_OPTION',
    `sqliteStore takes an object with the path of a file; found ${found}. Write sqliteStore({ file: 'fairlead.db' }).`,
  )
}

function foundText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60))
  return value === undefined ? 'nothing' : value === null ? 'null' : typeof value
}

function unavailable(file: string, work: 'read' | 'write', error: unknown): unknown {
  if (error instanceof FairleadError) return error
  if (isDamage(error)) return damagedStore(file, error)
  const found = error instanceof Error ? error.message : String(error)
  const told =
    work === 'read'
      ? `Cannot read the store ${file}: ${found}. Check the disk and the permissions of the file.`
      : `Cannot write to the store ${file}: ${found}. Nothing of it was written. Check the free space and the permissions of its folder.`
  return new FairleadError('STORE_UNAVAILABLE', told, { cause: error })
}
