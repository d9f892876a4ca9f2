import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../../files/index.ts'
import type { LogEntry } from '../logs/log-entry.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { IncidentDataError, type IncidentDataErrorCode } from './incident-data-error.ts'
import { parseLogLines } from './parse-log-lines.ts'
import { parseOpenMetrics } from './parse-open-metrics.ts'

/** Megabytes of one file at most. Parsing keeps some times as much in memory, and answers nobody meanwhile. */
const mostMegabytes = { 'metrics.om': 16, 'logs.jsonl': 32 } as const

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
 * A missing file is a source that holds nothing. Errors of a file name it without the folder's path; a file that
 * is too large (metrics over 16 MB, logs over 32 MB) and one that is no regular file are such errors. A missing folder throws an IncidentDataError.
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
    readonly file: keyof typeof mostMegabytes
    readonly parse: (text: string, file: string) => readonly TItem[]
    readonly unreadable: IncidentDataErrorCode
  },
): Promise<LoadedSource<TItem>> {
  const { file, parse, unreadable } = source
  const broken = (expected: string, found: string): LoadedSource<TItem> => ({
    kind: 'broken',
    error: new IncidentDataError({ code: unreadable, file, expected, found }),
  })
  const reading = await readRegularFile(join(dataDirectory, file), mostMegabytes[file] * 1_000_000)
  if (reading.kind === 'missing') return { kind: 'loaded', items: [] }
  if (reading.kind === 'refused') return broken(`a readable file of at most ${mostMegabytes[file]} MB`, reading.found)
  try {
    return { kind: 'loaded', items: parse(reading.text, file) }
  } catch (error) {
    if (error instanceof IncidentDataError) return { kind: 'broken', error }
    // Whatever else a text can do to its parser, such as an overflow, is that file's fault alone.
    return broken('a text this lab can parse', error instanceof Error ? error.name : 'a failure')
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
