import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file name in a new folder of its own; `remove` deletes both. */
export function temporaryFile(name) {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-file-'))
  return { file: join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
