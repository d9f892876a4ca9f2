import { openDatabase } from './open-database.ts'
import type { OpenDatabase, OpenDatabaseOptions } from './open-database.ts'

/** A database that is opened once and shared by everybody who asks for it. */
export interface LastingDatabase {
  /** The open database; rejects with the reason it cannot be opened now, and the next caller tries again. */
  get(): Promise<OpenDatabase>
  /**
   * Closes what is open or being opened. Nobody may ask for it afterwards. `mustBeThere` rejects with `STORE_UNAVAILABLE`,
   * after closing, where the path leads to another file by then.
   */
  close(mustBeThere: boolean): Promise<void>
}

/** Begins to open at once. A failure is not kept: a lock goes away, a permission is given. */
export function lastingDatabase(options: OpenDatabaseOptions): LastingDatabase {
  let opening: Promise<OpenDatabase> | undefined

  async function open(): Promise<OpenDatabase> {
    try {
      return await openDatabase(options)
    } catch (error) {
      opening = undefined
      throw error
    }
  }

  function get(): Promise<OpenDatabase> {
    opening ??= open()
    return opening
  }

  // Whoever asks first hears of a failure; without a listener it would end the process.
  get().catch(() => undefined)

  return {
    get,
    async close(mustBeThere) {
      const database = await opening?.catch(() => undefined)
      await database?.close()
      if (mustBeThere) database?.requireSameFile()
    },
  }
}
