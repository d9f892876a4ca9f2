import type { LogEntry } from '../logs/log-entry.ts'
import { makeLabels, mostLabels } from '../metrics/labels.ts'
import type { LabelEntry } from '../metrics/labels.ts'
import { showValue } from '../../files/index.ts'
import { parseRfc3339 } from '../text/parse-rfc3339.ts'
import { IncidentDataError } from './incident-data-error.ts'

/**
 * Parses `logs.jsonl` into entries of rising time; lines of one time keep the order of the file.
 *
 * Extra fields are ignored, empty lines skipped. Any other line throws an IncidentDataError that names `file` and the line.
 */
export function parseLogLines(text: string, file: string): readonly LogEntry[] {
  const entries: LogEntry[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const problem = (expected: string, found: unknown): IncidentDataError =>
      new IncidentDataError({
        code: 'LOGS_LINE_INVALID',
        file,
        line: index + 1,
        expected,
        found: showValue(found, 120),
      })
    const value = parseObject(line)
    if (value === undefined) throw problem('a JSON object with ts, labels and line', line)
    const timestamp = typeof value['ts'] === 'string' ? parseRfc3339(value['ts']) : undefined
    if (timestamp === undefined) throw problem('ts to be an RFC 3339 time with its zone', value['ts'])
    const labels = labelEntries(value['labels'])
    if (labels === undefined || labels.length === 0) {
      throw problem('labels to be an object with at least one label, all values text', value['labels'])
    }
    if (labels.length > mostLabels) throw problem(`at most ${mostLabels} labels`, labels.length)
    if (typeof value['line'] !== 'string') throw problem('line to be text', value['line'])
    entries.push({ timestamp, labels: makeLabels(labels), line: value['line'] })
  }
  return entries.toSorted((left, right) => Number(left.timestamp - right.timestamp))
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function labelEntries(value: unknown): readonly LabelEntry[] | undefined {
  if (!isRecord(value)) return undefined
  const entries = Object.entries(value)
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string') ? entries : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
