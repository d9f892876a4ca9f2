import { showValue } from '../../files/index.ts'
import type { LabelEntry } from '../metrics/labels.ts'
import { metricNameLabel, mostLabels } from '../metrics/labels.ts'
import { parseGoFloat } from '../text/parse-go-float.ts'

/** One sample line of OpenMetrics text: label entries (the metric name included), value, and time in milliseconds since 1970. */
export interface ParsedSample {
  readonly entries: readonly LabelEntry[]
  readonly value: number
  readonly timestamp: number
}

/** A sample, or what was expected at which column (from 1) of the line. */
export type ParsedSampleLine =
  | { readonly kind: 'sample'; readonly sample: ParsedSample }
  | { readonly kind: 'invalid'; readonly column: number; readonly expected: string; readonly found: string }

type Attempt<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly end: number }
  | { readonly kind: 'no'; readonly at: Expectation }

interface Expectation {
  readonly offset: number
  readonly expected: string
}

/**
 * Parses `name{label="value"} value timestamp`, with an optional exemplar behind it, which is ignored.
 *
 * The time is required, in seconds, perhaps with a fraction; it is cut to whole milliseconds as Prometheus does. UTF-8 names may
 * stand quoted in the braces.
 */
export function parseSampleLine(line: string): ParsedSampleLine {
  const invalid = ({ offset, expected }: Expectation): ParsedSampleLine => ({
    kind: 'invalid',
    column: offset + 1,
    expected,
    found: offset >= line.length ? 'the end of the line' : showValue(line.slice(offset), 120),
  })
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)?.[0] ?? ''
  const entries: LabelEntry[] = name === '' ? [] : [[metricNameLabel, name]]
  let offset = name.length
  if (line[offset] === '{') {
    const labels = readLabels(line, offset + 1)
    if (labels.kind === 'no') return invalid(labels.at)
    for (const entry of labels.value) entries.push(entry)
    offset = labels.end
  }
  if (!entries.some(([label]) => label === metricNameLabel)) return invalid({ offset: 0, expected: 'a metric name' })
  const repeated = firstRepeated(entries)
  if (repeated !== null)
    return invalid({ offset: name.length, expected: `the label ${showValue(repeated).slice(1, -1)} once` })

  const tail = /^ ([^ ]+)(?: ([^ ]+))?(?: # \{.*)?$/.exec(line.slice(offset))
  if (tail === null) return invalid({ offset, expected: 'one space, the value, one space and the time in seconds' })
  const [, valueText = '', timeText] = tail
  const value = parseGoFloat(valueText)
  if (value === undefined) return invalid({ offset: offset + 1, expected: 'a number as the value' })
  const timeOffset = offset + 2 + valueText.length
  const seconds = timeText === undefined ? undefined : parseGoFloat(timeText)
  if (seconds === undefined || !Number.isFinite(seconds)) {
    return invalid({ offset: timeOffset, expected: 'the time in seconds since 1970 behind the value' })
  }
  return { kind: 'sample', sample: { entries, value, timestamp: Math.trunc(seconds * 1000) } }
}

function firstRepeated(entries: readonly LabelEntry[]): string | null {
  const seen = new Set<string>()
  for (const [label] of entries) {
    if (seen.has(label)) return label
    seen.add(label)
  }
  return null
}

function readLabels(line: string, start: number): Attempt<readonly LabelEntry[]> {
  const entries: LabelEntry[] = []
  let offset = start
  while (line[offset] !== '}') {
    const entry = readLabel(line, offset)
    if (entry.kind === 'no') return entry
    if (entries.length === mostLabels) return { kind: 'no', at: { offset, expected: `at most ${mostLabels} labels` } }
    entries.push(entry.value)
    offset = entry.end
    if (line[offset] === ',') offset += 1
    else if (line[offset] !== '}') return { kind: 'no', at: { offset, expected: '"," or "}" behind a label' } }
  }
  return { kind: 'ok', value: entries, end: offset + 1 }
}

function readLabel(line: string, start: number): Attempt<LabelEntry> {
  const bare = /^[a-zA-Z_][a-zA-Z0-9_]*/.exec(line.slice(start, start + 1_000))?.[0]
  const name: Attempt<string> =
    bare === undefined ? readText(line, start, 'a label name') : { kind: 'ok', value: bare, end: start + bare.length }
  if (name.kind === 'no') return name
  if (line[name.end] !== '=') {
    if (bare === undefined) return { kind: 'ok', value: [metricNameLabel, name.value], end: name.end }
    return { kind: 'no', at: { offset: name.end, expected: '"=" behind the label name' } }
  }
  const value = readText(line, name.end + 1, 'a label value in double quotes')
  return value.kind === 'no' ? value : { kind: 'ok', value: [name.value, value.value], end: value.end }
}

/** OpenMetrics knows three escapes: `\\`, `\"` and `\n`; Prometheus keeps any other backslash as it stands, and so does this. */
function readText(line: string, start: number, expected: string): Attempt<string> {
  if (line[start] !== '"') return { kind: 'no', at: { offset: start, expected } }
  let offset = start + 1
  while (offset < line.length && line[offset] !== '"') offset += line[offset] === '\\' ? 2 : 1
  if (offset >= line.length) return { kind: 'no', at: { offset: start, expected: `${expected}, closed` } }
  const value = line
    .slice(start + 1, offset)
    .replaceAll(/\\([\\"n])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
  return { kind: 'ok', value, end: offset + 1 }
}
