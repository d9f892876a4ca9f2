import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FairleadError } from '@fairlead/runtime/core'
import type { JournalEntry } from '@fairlead/runtime/core'
import { beginEntries, moveEntry, sampleApproval, sampleCall, sampleRule, sampleRun } from '@fairlead/runtime/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLibsql } from './connection/libsql-connection.ts'
import { sqliteStore } from './sqlite-store.ts'
import type { SqliteStore } from './sqlite-store.ts'

let folder = ''
let file = ''
let opened: SqliteStore[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-store-'))
  file = join(folder, 'store.db')
  opened = []
})

afterEach(async () => {
  for (const store of opened) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(path: string = file): SqliteStore {
  const store = sqliteStore({ file: path })
  opened.push(store)
  return store
}

function session(id: string): JournalEntry {
  return { kind: 'session-created', sessionId: id, at: 1 }
}

/** Changes the file as another program would, while no store has it open. */
function tamper(sql: string): void {
  const connection = openLibsql(file, { busyTimeoutMs: 1000 })
  connection.execute(sql, [])
  connection.close()
}

async function failureOf(work: Promise<unknown>): Promise<FairleadError> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure instanceof FairleadError) return failure
  throw new Error(`expected a FairleadError, found ${String(failure)}`)
}

describe('commits', () => {
  it('joins twenty appends of one tick into one commit', async () => {
    const store = open()
    await store.ready()
    await Promise.all(Array.from({ length: 20 }, (_, index) => store.journal.append([session(`session_${index}`)])))
    expect(store.statistics()).toEqual({ batches: 20, written: 20, commits: 1 })
  })

  it('joins appends that arrive some microtasks later', async () => {
    const store = open()
    await store.ready()
    const late = async (index: number) => {
      for (let tick = 0; tick < index; tick++) await Promise.resolve()
      await store.journal.append([session(`session_${index}`)])
    }
    await Promise.all(Array.from({ length: 20 }, (_, index) => late(index)))
    expect(store.statistics()).toEqual({ batches: 20, written: 20, commits: 1 })
  })

  it('writes one commit for a batch of two hundred calls', async () => {
    const store = open()
    await store.journal.append(beginEntries(sampleRun()))
    const before = store.statistics().commits
    const calls = Array.from({ length: 200 }, (_, index) => sampleCall({ index }))
    await store.journal.append(calls.map((call): JournalEntry => ({ kind: 'call-opened', call })))
    expect(store.statistics().commits - before).toBe(1)
    await store.journal.append(calls.map((call) => moveEntry(call, 'Validated')))
    expect(store.statistics().commits - before).toBe(2)
  })

  it('bounds a commit, so that a thousand appends take several', async () => {
    const store = open()
    await Promise.all(Array.from({ length: 1000 }, (_, index) => store.journal.append([session(`session_${index}`)])))
    const { written, commits } = store.statistics()
    expect(written).toBe(1000)
    expect(commits).toBe(8)
  })

  it('rejects only the batch whose value a column cannot hold', async () => {
    const store = open()
    const outcomes = await Promise.allSettled([
      store.journal.append([session('session_a')]),
      store.journal.append([session('session_lost'), { kind: 'session-created', sessionId: 'session_b', at: 2 ** 53 }]),
      store.journal.append([session('cut\0here')]),
      store.journal.append([session('session_c')]),
    ])
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'INVALID_OPTION' })
    expect(await store.sessions.get('session_lost')).toBeUndefined()
    expect(await store.sessions.get('session_c')).toBeDefined()
  })

  it('keeps what a batch held when append was called, whatever the caller does to it later', async () => {
    const store = open()
    const value = { secret: 'old' }
    await store.journal.append(beginEntries(sampleRun()))
    const call = sampleCall()
    const writing = store.journal.append([
      { kind: 'evidence-kept', uri: 'evidence://x', runId: call.runId, callId: call.id, value, at: 1 },
    ])
    value.secret = 'new'
    await writing
    expect((await store.evidence.get('evidence://x'))?.value).toEqual({ secret: 'old' })
  })
})

describe('opening', () => {
  it('creates folder and file for this user only', async () => {
    const path = join(folder, 'new', 'deeper', 'store.db')
    await open(path).ready()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'new', 'deeper')).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
  })

  it('leaves no journal file behind when it closes', async () => {
    const store = open()
    await store.journal.append([session('session_a')])
    await store.close()
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0)
  })

  it('lets several stores of one process open a new file at once', async () => {
    const stores = Array.from({ length: 5 }, () => open())
    await Promise.all(stores.map((store) => store.ready()))
    await Promise.all(stores.map((store, index) => store.journal.append([session(`session_${index}`)])))
    for (const store of stores) expect(await store.sessions.get('session_0')).toBeDefined()
  })

  it.each(['', ':memory:', 'file:store.db'])('refuses "%s" as a file', (path) => {
    expect(() => sqliteStore({ file: path })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })

  it.each<[unknown, string]>([
    [{ path: 'x.db' }, 'found an object with path'],
    [{}, 'found an object with nothing'],
    ['x.db', 'found "x.db"'],
    [undefined, 'found nothing'],
    [null, 'found null'],
    [{ file: 3 }, 'found file: number'],
    [{ file: new URL('file:///x.db') }, 'found file: object'],
  ])('refuses %j in the place of its options, with what to write', (given, found) => {
    const make = () => sqliteStore(given as Parameters<typeof sqliteStore>[0])
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(found) }))
    expect(make).toThrow("Write sqliteStore({ file: 'fairlead.db' })")
  })

  it.each([-1, 1.5, Number.NaN])('refuses %d as a time-out', (busyTimeoutMs) => {
    expect(() => sqliteStore({ file, busyTimeoutMs })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
    expect(() => sqliteStore({ file, lockTimeoutMs: busyTimeoutMs })).toThrow(/lockTimeoutMs/)
  })

  it('says so when the file is not a database, to every operation', async () => {
    writeFileSync(file, 'this is a shopping list\n'.repeat(100))
    const store = open()
    const failures = await Promise.all([
      failureOf(store.ready()),
      failureOf(store.journal.append([session('session_a')])),
      failureOf(store.journal.runs()),
    ])
    for (const failure of failures) {
      expect(failure.code).toBe('STORE_UNAVAILABLE')
      expect(failure.message).toContain('not an SQLite database')
    }
  })

  it('says so when the path is a folder, or goes through a file', async () => {
    expect((await failureOf(open(folder).ready())).code).toBe('STORE_UNAVAILABLE')
    writeFileSync(file, '')
    expect((await failureOf(open(join(file, 'store.db')).ready())).code).toBe('STORE_UNAVAILABLE')
  })

  it('tries again after a failure, so that a repaired path works without a new store', async () => {
    const blocked = join(folder, 'blocked')
    writeFileSync(blocked, '')
    const store = open(join(blocked, 'store.db'))
    expect((await failureOf(store.ready())).code).toBe('STORE_UNAVAILABLE')
    rmSync(blocked)
    await store.journal.append([session('session_a')])
    expect(await store.sessions.get('session_a')).toBeDefined()
  })

  it('refuses a file of a newer program, naming both versions, and leaves it as it is', async () => {
    await open().ready()
    tamper('insert into schema_versions (version, applied_at) values (99, 1)')
    const failure = await failureOf(open().ready())
    expect(failure.code).toBe('STORE_NEWER')
    expect(failure.message).toContain('99')
    expect(failure.message).toContain('up to 3')
  })

  it('refuses the database of another program', async () => {
    tamper('create table runs (id text)')
    const failure = await failureOf(open().ready())
    expect(failure.code).toBe('STORE_UNAVAILABLE')
    expect(failure.message).toContain('another program')
  })

  it.skipIf(process.geteuid === undefined)('says so when the user may only read the file', async () => {
    const writing = open()
    await writing.journal.append([session('session_a')])
    await writing.close()
    chmodSync(folder, 0o755)
    chmodSync(file, 0o444)
    const user = process.geteuid?.() ?? 0
    if (user === 0) process.seteuid?.(65_534)
    const failure = await failureOf(open().ready()).finally(() => process.seteuid?.(user))
    expect(failure.code).toBe('STORE_UNAVAILABLE')
    expect(failure.message).toContain('read and write')
  })
})

describe('a lock that is held too long', () => {
  it('is reported after lockTimeoutMs without blocking the event loop, and nothing is lost afterwards', async () => {
    await open().ready()
    const other = openLibsql(file, { busyTimeoutMs: 0 })
    other.execute('begin immediate', [])
    const impatient = sqliteStore({ file, lockTimeoutMs: 60, busyTimeoutMs: 1 })
    opened.push(impatient)
    let otherWork = 0
    const ticking = setInterval(() => otherWork++, 1)
    const failure = await failureOf(impatient.journal.append([session('session_a')]))
    clearInterval(ticking)
    expect(failure.code).toBe('STORE_UNAVAILABLE')
    expect(failure.message).toContain('locked for 60 ms')
    expect(otherWork).toBeGreaterThan(3)
    other.execute('rollback', [])
    other.close()
    await impatient.journal.append([session('session_a')])
    expect(await impatient.sessions.get('session_a')).toBeDefined()
  })

  it('is waited for, and writers go on in their order', async () => {
    const store = open()
    await store.ready()
    const other = openLibsql(file, { busyTimeoutMs: 0 })
    other.execute('begin immediate', [])
    const writing = store.journal.append([session('session_a')])
    const after = store.journal.append(beginEntries(sampleRun()))
    expect(await store.journal.runs()).toEqual([])
    other.execute('commit', [])
    other.close()
    await Promise.all([writing, after])
    expect(await store.journal.runs()).toHaveLength(1)
  })
})

describe('a closed store', () => {
  it('refuses every operation with what to do', async () => {
    const store = open()
    await store.close()
    const works = [
      () => store.ready(),
      () => store.journal.append([session('session_a')]),
      () => store.journal.run('run_a'),
      () => store.journal.runs(),
      () => store.journal.calls('run_a'),
      () => store.sessions.get('session_a'),
      () => store.approvals.get('approval_a'),
      () => store.approvals.list(),
      () => store.journal.callsInState(['Executing']),
      () => store.rules.get('rule_a'),
      () => store.rules.list(),
      () => store.evidence.get('evidence://a'),
    ]
    for (const work of works) {
      const failure = await failureOf(work())
      expect(failure.code).toBe('STORE_UNAVAILABLE')
      expect(failure.message).toContain('was closed')
    }
  })

  it('lets reads that were under way finish', async () => {
    const store = open()
    await store.journal.append(beginEntries(sampleRun()))
    const reading = store.journal.runs()
    await store.close()
    expect(await reading).toHaveLength(1)
  })

  it('can be closed when it could never be opened', async () => {
    const store = sqliteStore({ file: folder })
    await expect(store.close()).resolves.toBeUndefined()
  })
})

describe.skipIf(process.platform === 'win32')('a file that is gone from its path', () => {
  const swap = (path: string): void => {
    renameSync(path, `${path}.old`)
    writeFileSync(path, '')
  }
  const gone: readonly (readonly [string, (file: string) => void])[] = [
    ['deleted or moved', (path) => rmSync(path)],
    ['deleted or moved', (path) => renameSync(path, `${path}.old`)],
    ['replaced by another file', swap],
  ]

  it.each(gone)('was %s: the next write says so, and closing does not say it again', async (what, take) => {
    const store = open()
    await store.journal.append([session('session_1')])
    take(file)
    const failure = await failureOf(store.journal.append([session('session_2')]))
    expect(failure.code).toBe('STORE_UNAVAILABLE')
    expect(failure.message).toContain(`The store ${file} was ${what} while it was open.`)
    await expect(store.close()).resolves.toBeUndefined()
  })

  it.each(gone)('was %s after the last write: closing says so', async (what, take) => {
    const store = sqliteStore({ file })
    await store.journal.append([session('session_1')])
    take(file)
    const failure = await failureOf(store.close())
    expect([failure.code, failure.message]).toEqual(['STORE_UNAVAILABLE', expect.stringContaining(what)])
  })

  it('does not matter to who only read', async () => {
    const first = open()
    await first.journal.append(beginEntries(sampleRun()))
    await first.close()
    const second = open()
    expect(await second.journal.runs()).toHaveLength(1)
    rmSync(file)
    await expect(second.close()).resolves.toBeUndefined()
  })
})

it('tells a damaged file from a full disk', async () => {
  const store = open()
  await store.journal.append(beginEntries(sampleRun()))
  await store.close()
  const bytes = readFileSync(file)
  bytes.fill(0xff, 4096)
  writeFileSync(file, bytes)
  const failure = await failureOf(open().journal.runs())
  expect(failure.code).toBe('STORE_UNAVAILABLE')
  expect(failure.message).toMatch(/^The store \S+ is damaged: [^.]+\. Restore it from a backup, or use another file\.$/)
})

describe('a damaged row', () => {
  const begun = beginEntries(sampleRun())
  const everything: readonly JournalEntry[] = [
    ...begun,
    {
      kind: 'messages-added',
      sessionId: 'session_sample',
      runId: 'run_sample',
      expectedCount: 0,
      messages: [{ role: 'user', parts: [{ kind: 'text', text: 'hello' }] }],
      at: 1,
    },
    { kind: 'call-opened', call: sampleCall() },
    { kind: 'approval-requested', approval: sampleApproval() },
    { kind: 'rule-added', rule: sampleRule() },
    { kind: 'evidence-kept', uri: 'evidence://x', runId: 'run_sample', callId: sampleCall().id, value: 1, at: 1 },
  ]
  const readRun = (store: SqliteStore) => store.journal.run('run_sample')
  const readCalls = (store: SqliteStore) => store.journal.calls('run_sample')
  const readSession = (store: SqliteStore) => store.sessions.get('session_sample')
  const readApproval = (store: SqliteStore) => store.approvals.get('approval_sample')
  const readInState = (store: SqliteStore) => store.journal.callsInState(['Requested'])
  const readRule = (store: SqliteStore) => store.rules.get('rule_sample')
  const readRules = (store: SqliteStore) => store.rules.list()
  const readEvidence = (store: SqliteStore) => store.evidence.get('evidence://x')
  const callId = sampleCall().id

  it.each([
    ["update runs set record = '{'", 'runs', 'run_sample', readRun],
    ["update runs set record = '[]'", 'runs', 'run_sample', readRun],
    [`update runs set record = '{"id":1}'`, 'runs', 'run_sample', readRun],
    ["update runs set record = replace(record, 'running', 'flying')", 'runs', 'run_sample', readRun],
    ["update runs set lease_worker = 'x', lease_until = 9007199254740993", 'runs', 'run_sample', readRun],
    ["update calls set record = replace(record, 'Requested', 'Cooked')", 'calls', callId, readCalls],
    ["update calls set state = 'Executing'", 'calls', callId, readCalls],
    ['delete from transitions', 'calls', callId, readCalls],
    ['delete from transitions', 'calls', callId, readInState],
    ["update transitions set state = 'Cooked'", 'transitions', `${callId}/0`, readCalls],
    ["update transitions set detail = 'nope'", 'transitions', `${callId}/0`, readCalls],
    ["update transitions set at = 'late'", 'transitions', `${callId}/0`, readCalls],
    [`update messages set message = '{"role":"root","parts":[]}'`, 'messages', 'session_sample/0', readSession],
    [`update messages set message = '{"role":"user","parts":[{}]}'`, 'messages', 'session_sample/0', readSession],
    ['delete from messages', 'sessions', 'session_sample', readSession],
    ["update approvals set status = 'maybe'", 'approvals', 'approval_sample', readApproval],
    [`update approvals set decision = '{"decidedBy":1}'`, 'approvals', 'approval_sample', readApproval],
    ["update approvals set record = '{}'", 'approvals', 'approval_sample', readApproval],
    [
      'update approvals set decision = replace(decision, \'"edited":null\', \'"edited":1\')',
      'approvals',
      'approval_sample',
      readApproval,
    ],
    ["update standing_rules set record = '{}'", 'standing_rules', 'rule_sample', readRule],
    ["update standing_rules set tool = 'another'", 'standing_rules', 'rule_sample', readRules],
    ["update standing_rules set revoked_at = 'late'", 'standing_rules', 'rule_sample', readRules],
    ["update standing_rules set revoked_by = '1'", 'standing_rules', 'rule_sample', readRule],
    ["update evidence set value = ''", 'evidence', 'evidence://x', readEvidence],
    ["update evidence set value = x'00'", 'evidence', 'evidence://x', readEvidence],
  ] as const)('after "%s" is named', async (sql, table, id, read) => {
    const first = open()
    await first.journal.append(everything)
    await first.close()
    tamper(sql)
    const failure = await failureOf(read(open()))
    expect(failure.code).toBe('STORE_UNAVAILABLE')
    expect(failure.message).toContain(`"${table}"`)
    expect(failure.message).toContain(`"${id}"`)
  })

  it('is not found where nothing was damaged', async () => {
    const store = open()
    await store.journal.append(everything)
    const found = await Promise.all(
      [readRun, readCalls, readInState, readSession, readApproval, readRule, readEvidence].map((read) => read(store)),
    )
    expect(found.every((one) => one !== undefined)).toBe(true)
  })
})
