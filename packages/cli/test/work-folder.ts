import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './temporary-folder.ts'

/** A folder of its own with nothing in it but a configuration. */
export type WorkFolder = {
  readonly path: string
  readonly store: string
  /** The titles of the tickets that were really opened. */
  readonly tickets: () => readonly string[]
}

/** Makes a work folder far from any `node_modules`, with one of the fixtures as its configuration. */
export function workFolder(fixture: 'desk' | 'meter' | 'office' | 'stock' = 'desk'): WorkFolder {
  const path = temporaryFolder()
  copyFileSync(
    fileURLToPath(new URL(`./fixtures/${fixture}.config.ts`, import.meta.url)),
    join(path, 'fairlead.config.ts'),
  )
  const file = join(path, '.fairlead', 'tickets.txt')
  return {
    path,
    store: join(path, '.fairlead', 'fairlead.db'),
    tickets: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line) as string)
        : [],
  }
}
