import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drive, type Driven, type DriveOptions } from './test-driver.ts'
import { writeTestFolder, type TestIncident } from './test-folder.ts'

/** How to drive a made-up incident, and which of its files to leave out. */
export type DiagnosisOptions = Partial<DriveOptions> & { readonly without?: readonly string[] }

/** Diagnoses a made-up incident in a folder of its own. Only tests use it. */
export async function diagnoseIncident(incident: TestIncident, options: DiagnosisOptions = {}): Promise<Driven> {
  return inFolder(async (dataDirectory) => {
    await writeTestFolder(dataDirectory, incident, options.without)
    return drive({ dataDirectory, prompt: `Why did the P95 latency of ${incident.service} go up?`, ...options })
  })
}

/** Lends a folder that is removed afterwards. */
export async function inFolder<TResult>(use: (directory: string) => Promise<TResult>): Promise<TResult> {
  const directory = await mkdtemp(join(tmpdir(), 'incident-'))
  try {
    return await use(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
