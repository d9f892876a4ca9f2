import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textOf } from '@fairlead/runtime/core'
import { beginEntries, sampleRun } from '@fairlead/runtime/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLibsql } from '../src/connection/libsql-connection.ts'
import { sqliteStore } from '../src/index.ts'
import { migrations } from '../src/schema/migrations.ts'
import { startProgram } from './start-program.ts'

let folder = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-processes-'))
  file = join(folder, 'store.db')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('two processes on one file', () => {
  it(
    'have exactly one winner in each of 300 races, see no busy error and lose no append',
    { timeout: 60_000 },
    async () => {
      const rounds = 300
      const workers = ['worker_a', 'worker_b'] as const
      const preparing = sqliteStore({ file })
      await preparing.journal.append(
        Array.from(
          { length: rounds },
          (_, round) => ({ kind: 'run-started', run: sampleRun({ id: `run_${round}` }) }) as const,
        ),
      )
      for (const worker of workers) {
        await preparing.journal.append([{ kind: 'session-created', sessionId: `session_${worker}`, at: 1 }])
      }
      await preparing.close()

      const programs = workers.map((worker) => startProgram('claim-runs', [file, worker, String(rounds)]))
      for (const program of programs) await program.printed(1)
      const startedAt = performance.now()
      for (const program of programs) program.begin()
      for (const program of programs) expect(await program.ended()).toEqual({ code: 0, errors: '' })
      const elapsed = performance.now() - startedAt
      console.log(`two processes: ${Math.round((rounds * 4000) / elapsed)} batches a second`)

      const counts = programs.map((program) => JSON.parse(program.lines[1] ?? '') as { won: number; lost: number })
      for (const { won, lost } of counts) expect(won + lost).toBe(rounds)
      const store = sqliteStore({ file })
      const runs = await store.journal.runs()
      expect(runs).toHaveLength(rounds)
      for (const [index, worker] of workers.entries()) {
        expect(runs.filter((run) => run.lease?.worker === worker)).toHaveLength(counts[index]?.won ?? -1)
        const messages = (await store.sessions.get(`session_${worker}`))?.messages ?? []
        expect(messages.map((message) => textOf(message.parts))).toEqual(
          Array.from({ length: rounds }, (_, round) => `${worker} ${round}`),
        )
      }
      expect((counts[0]?.won ?? 0) + (counts[1]?.won ?? 0)).toBe(rounds)
      await store.close()
    },
  )
})

describe('four processes that open a new file at the same moment', () => {
  it('apply every migration once and all write', { timeout: 60_000 }, async () => {
    const names = ['session_a', 'session_b', 'session_c', 'session_d']
    const programs = names.map((name) => startProgram('open-at-once', [file, name]))
    for (const program of programs) await program.printed(1)
    for (const program of programs) program.begin()
    for (const program of programs) expect(await program.ended()).toEqual({ code: 0, errors: '' })

    const store = sqliteStore({ file })
    for (const name of names) expect(await store.sessions.get(name)).toBeDefined()
    await store.close()
    const connection = openLibsql(file, { busyTimeoutMs: 1000 })
    const { rows } = connection.execute('select version from schema_versions order by version', [])
    connection.close()
    expect(rows).toEqual(migrations.map((_, index) => ({ version: index + 1 })))
  })
})

describe('a process killed while it writes', () => {
  it.each([1, 8, 20, 100, 333])(
    'after %d resolved batches leaves each batch whole or absent',
    { timeout: 60_000 },
    async (resolved) => {
      const preparing = sqliteStore({ file })
      await preparing.journal.append(beginEntries(sampleRun()))
      await preparing.close()
      const program = startProgram('write-until-killed', [file])
      await program.printed(resolved)
      program.kill()
      expect(await program.ended()).toEqual({ code: null, errors: '' })

      const store = sqliteStore({ file })
      const messages = (await store.sessions.get('session_sample'))?.messages ?? []
      const calls = await store.journal.calls('run_sample')
      const told = program.lines.map(Number)
      expect(told.length).toBeGreaterThanOrEqual(resolved)
      expect(messages.length).toBe(calls.length * 2)
      expect(calls.map((call) => call.index)).toEqual(calls.map((_, index) => index))
      expect(calls.length).toBeGreaterThan(Math.max(...told))
      for (const { index } of calls) expect(await store.evidence.get(`evidence://${index}`)).toBeDefined()
      expect(await store.evidence.get(`evidence://${calls.length}`)).toBeUndefined()
      await store.close()
    },
  )
})

describe('a process that may not write any more', () => {
  it('hears STORE_UNAVAILABLE, can still read, and leaves nothing half written', { timeout: 60_000 }, async () => {
    const preparing = sqliteStore({ file })
    await preparing.journal.append(beginEntries(sampleRun()))
    await preparing.close()
    const program = startProgram('fill-the-disk', [file], 'ulimit -f 2000; exec "$@"')
    expect(await program.ended()).toEqual({ code: 0, errors: '' })
    const told = JSON.parse(program.lines[0] ?? '') as { written: number; code: string; readable: boolean }
    expect(told).toMatchObject({ code: 'STORE_UNAVAILABLE', readable: true })
    expect(told.written).toBeGreaterThan(2)

    const store = sqliteStore({ file })
    for (let index = 0; index < told.written; index++) {
      expect(await store.evidence.get(`evidence://${index}`)).toBeDefined()
    }
    expect(await store.evidence.get(`evidence://${told.written}`)).toBeUndefined()
    expect(await store.sessions.get(`session_${told.written}`)).toBeUndefined()
    await store.journal.append([{ kind: 'session-created', sessionId: 'session_after', at: 1 }])
    expect(await store.sessions.get('session_after')).toBeDefined()
    await store.close()
  })
})
