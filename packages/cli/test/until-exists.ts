import { existsSync, mkdirSync, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Waits until a file is there; its folder is made when it is missing. */
export async function untilExists(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  await new Promise<void>((resolve) => {
    const watcher = watch(dirname(file), () => {
      if (existsSync(file)) {
        watcher.close()
        resolve()
      }
    })
    if (existsSync(file)) {
      watcher.close()
      resolve()
    }
  })
}
