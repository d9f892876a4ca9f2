import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new empty folder that is gone when the running test is over. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fairlead-cli-'))
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true })
  })
  return path
}
