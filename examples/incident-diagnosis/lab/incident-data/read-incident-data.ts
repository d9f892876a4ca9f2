import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogEntry } from '../logs/log-entry.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { IncidentDataError } from './incident-data-error.ts'
import { parseLogLines } from './parse-log-lines.ts'
import { parseOpenMetrics } from './parse-open-metrics.ts'

/** What the lab serves of a data folder: series sorted by labels and log entries sorted by time. */
export interface IncidentData {
  readonly series: readonly StoredSeries[]
  readonly logs: readonly LogEntry[]
}

/**
 * Reads `metrics.om` and `logs.jsonl` of a data folder.
 *
 * A missing file gives an empty source. A missing folder and a malformed line throw an IncidentDataError; other read failures
 * throw Node's own error.
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
  const metricsFile = join(dataDirectory, 'metrics.om')
  const logsFile = join(dataDirectory, 'logs.jsonl')
  const [metrics, logs] = await Promise.all([readOptional(metricsFile), readOptional(logsFile)])
  return {
    series: metrics === undefined ? [] : parseOpenMetrics(metrics, metricsFile),
    logs: logs === undefined ? [] : parseLogLines(logs, logsFile),
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
