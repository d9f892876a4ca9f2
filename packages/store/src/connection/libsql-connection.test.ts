import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLibsql } from './libsql-connection.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { SqliteFailure } from './sqlite-failure.ts'

let folder = ''
let connection: SqliteConnection

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-libsql-'))
  connection = openLibsql(join(folder, 'a.db'), { busyTimeoutMs: 0 })
  connection.execute('create table things (id integer primary key, name text unique, size integer)', [])
})

afterEach(() => {
  connection.close()
  rmSync(folder, { recursive: true, force: true })
})

function failureOf(work: () => unknown): SqliteFailure {
  try {
    work()
  } catch (error) {
    if (error instanceof SqliteFailure) return error
    throw error
  }
  throw new Error('expected a failure')
}

const insert = 'insert into things (name, size) values (?, ?)'

describe('a libsql connection', () => {
  it('gives rows without fields of its own, and counts changes', () => {
    expect(connection.execute(insert, ['one', 1])).toEqual({ rows: [], changes: 1 })
    expect(connection.execute(insert, ['two', null]).changes).toBe(1)
    expect(connection.execute('update things set size = 5', []).changes).toBe(2)
    expect(connection.execute('select name, size from things where name = ?', ['two'])).toEqual({
      rows: [{ name: 'two', size: 5 }],
      changes: 0,
    })
  })

  it.each([
    ['a boolean', true],
    ['undefined', undefined],
    ['an object', {}],
    ['a bigint', 1n],
    ['a fraction', 1.5],
    ['not a number', Number.NaN],
    ['an integer beyond 2^53', 2 ** 53],
    ['a text with U+0000', 'a\0b'],
    ['a text with a lone surrogate', 'a\ud800b'],
  ])('refuses %s and goes on working', (_, value) => {
    expect(failureOf(() => connection.execute(insert, ['one', value])).kind).toBe('refused')
    expect(connection.execute('select * from things', []).rows).toEqual([])
  })

  it('gives back unchanged every text and number it takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.maxSafeInteger(), (text, number) => {
        fc.pre(!text.includes('\0'))
        const { rows } = connection.execute('select ? as text, ? as number', [text, number])
        expect(rows).toEqual([{ text, number }])
      }),
    )
  })

  it('tells a violated constraint from a busy file and a broken statement, and the statement works again', () => {
    connection.execute(insert, ['one', 1])
    expect(failureOf(() => connection.execute(insert, ['one', 2]))).toMatchObject({
      kind: 'constraint',
      code: 'SQLITE_CONSTRAINT_UNIQUE',
    })
    connection.execute(insert, ['two', 2])
    expect(failureOf(() => connection.execute('select nothing from nowhere', [])).kind).toBe('storage')
    const other = openLibsql(join(folder, 'a.db'), { busyTimeoutMs: 0 })
    other.execute('begin immediate', [])
    expect(failureOf(() => connection.execute('begin immediate', []))).toMatchObject({
      kind: 'busy',
      code: 'SQLITE_BUSY',
    })
    other.close()
  })

  it('knows whether it is in a transaction', () => {
    expect(connection.inTransaction).toBe(false)
    connection.execute('begin', [])
    expect(connection.inTransaction).toBe(true)
    connection.execute('rollback', [])
    expect(connection.inTransaction).toBe(false)
  })

  it('works with more different statements than it keeps', () => {
    for (let round = 0; round < 2; round++) {
      for (let number = 0; number < 400; number++) {
        expect(connection.execute(`select ${number} as number`, []).rows).toEqual([{ number }])
      }
    }
  })

  it('refuses work after it was closed, twice if need be', () => {
    connection.close()
    connection.close()
    expect(connection.inTransaction).toBe(false)
    expect(failureOf(() => connection.execute('select 1', [])).kind).toBe('storage')
  })

  it('says so when the file cannot be opened', () => {
    expect(failureOf(() => openLibsql(join(folder, 'no', 'a.db'), { busyTimeoutMs: 0 })).kind).toBe('storage')
  })
})
