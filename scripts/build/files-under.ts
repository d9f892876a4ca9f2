import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** Every file under a folder, relative to it and with forward slashes, sorted; none when there is no such folder. */
export function filesUnder(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}
