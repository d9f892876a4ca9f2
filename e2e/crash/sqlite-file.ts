import { createRequire } from 'node:module'

type Database = {
  prepare(sql: string): { all(parameters: readonly unknown[]): readonly { readonly integrity_check?: string }[] }
  exec(sql: string): void
  close(): void
}

// The store's own driver: the file is handled past everything Fairlead believes about it.
const load = createRequire(new URL('../../packages/store/package.json', import.meta.url))

function open(file: string): Database {
  const Libsql = load('libsql') as new (file: string, options: { readonly timeout: number }) => Database
  return new Libsql(file, { timeout: 5000 })
}

/** What SQLite says of a file: `ok`, or what is wrong with it. */
export function integrityOf(file: string): string {
  const database = open(file)
  try {
    const rows = database.prepare('pragma integrity_check').all([])
    return rows.map((row) => row.integrity_check ?? '?').join('; ')
  } finally {
    database.close()
  }
}

/** Takes the write lock of a file, as a program in a long transaction does; gives back what lets go of it. */
export function lockFile(file: string): () => void {
  const database = open(file)
  database.exec('begin immediate')
  return () => {
    database.exec('rollback')
    database.close()
  }
}
