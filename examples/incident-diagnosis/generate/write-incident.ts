import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { IncidentFiles } from './incident-files.ts'

/** Writes files into a folder, which is made if absent; files of the same name are replaced, others left alone. */
export async function writeIncident(directory: string, files: IncidentFiles): Promise<void> {
  for (const [path, text] of files) {
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, text)
  }
}
