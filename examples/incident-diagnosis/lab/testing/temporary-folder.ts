import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Makes a folder that holds the given files (path in the folder to text) and is removed when the running test ends. */
export async function temporaryFolder(
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'incident-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return { path }
}
