export { sqliteStore } from './sqlite-store.ts'
export type { SqliteStatistics, SqliteStore, SqliteStoreOptions } from './sqlite-store.ts'
