import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogEntry } from '../logs/log-entry.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { IncidentDataError, type IncidentDataErrorCode } from './incident-data-error.ts'
import { parseLogLines } from './parse-log-lines.ts'
import { parseOpenMetrics } from './parse-open-metrics.ts'

/** One file of a data folder: what it holds (nothing when it is missing), or why it cannot be served. */
export type LoadedSource<TItem> =
  | { readonly kind: 'loaded'; readonly items: readonly TItem[] }
  | { readonly kind: 'broken'; readonly error: IncidentDataError }

/** What the lab serves of a data folder: series sorted by labels and log entries sorted by time. */
export interface IncidentData {
  readonly series: LoadedSource<StoredSeries>
  readonly logs: LoadedSource<LogEntry>
}

/**
 * Reads `metrics.om` and `logs.jsonl` of a data folder, each for itself: a broken file says nothing about the other.
 *
 * A missing file is a source that holds nothing. Errors of a file name it without the folder's path. A missing folder
 * throws an IncidentDataError.
 */
export async function readIncidentData(dataDirectory: string): Promise<IncidentData> {
  if (!(await isDirectory(dataDirectory))) {
    throw new IncidentDataError({
      code: 'DATA_DIRECTORY_NOT_FOUND',
      file: dataDirectory,
      expected: 'a folder with incident data',
      found: 'no folder',
    })
  }
  const [series, logs] = await Promise.all([
    loadFile(dataDirectory, { file: 'metrics.om', parse: parseOpenMetrics, unreadable: 'METRICS_UNREADABLE' }),
    loadFile(dataDirectory, { file: 'logs.jsonl', parse: parseLogLines, unreadable: 'LOGS_UNREADABLE' }),
  ])
  return { series, logs }
}

async function loadFile<TItem>(
  dataDirectory: string,
  source: {
    readonly file: string
    readonly parse: (text: string, file: string) => readonly TItem[]
    readonly unreadable: IncidentDataErrorCode
  },
): Promise<LoadedSource<TItem>> {
  const { file, parse, unreadable } = source
  try {
    return { kind: 'loaded', items: parse(await readFile(join(dataDirectory, file), 'utf8'), file) }
  } catch (error) {
    if (error instanceof IncidentDataError) return { kind: 'broken', error }
    const code = systemCodeOf(error)
    if (code === undefined) throw error
    if (isNotFound(code)) return { kind: 'loaded', items: [] }
    const broken = { code: unreadable, file, expected: 'a readable file', found: code }
    return { kind: 'broken', error: new IncidentDataError(broken) }
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (isNotFound(systemCodeOf(error))) return false
    throw error
  }
}

function isNotFound(code: string | undefined): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
