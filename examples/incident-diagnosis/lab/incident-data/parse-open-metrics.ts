import { showValue } from '../../files/index.ts'
import { bucketLabel, compareLabels, makeLabels } from '../metrics/labels.ts'
import type { LabelEntry, Labels } from '../metrics/labels.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { formatBucketBound } from '../text/format-go-float.ts'
import { parseGoFloat } from '../text/parse-go-float.ts'
import { IncidentDataError } from './incident-data-error.ts'
import { parseSampleLine } from './parse-sample-line.ts'

interface Sample {
  readonly timestamp: number
  readonly value: number
  readonly line: number
}

interface OpenSeries {
  readonly labels: Labels
  readonly samples: Sample[]
}

/**
 * Parses OpenMetrics text with timestamps into series sorted by labels; samples of a series may stand in any order.
 *
 * `le` and `quantile` labels of declared histograms and summaries are normalised as Prometheus 3 does. Two different values of one
 * series at one time, a malformed line, and text without `# EOF` at its end throw an IncidentDataError that names `file`.
 */
export function parseOpenMetrics(text: string, file: string): readonly StoredSeries[] {
  const series = new Map<string, OpenSeries>()
  const lines = text.split(/\r?\n/)
  let declaredType = ''
  let ended = false
  for (const [index, line] of lines.entries()) {
    const number = index + 1
    if (line === '') continue
    if (ended) {
      throw new IncidentDataError({
        code: 'METRICS_LINE_INVALID',
        file,
        line: number,
        expected: 'nothing behind # EOF',
        found: showValue(line, 120),
      })
    }
    if (line.startsWith('#')) {
      ended = line === '# EOF'
      declaredType = /^# TYPE \S+ (\S+)$/.exec(line)?.[1] ?? declaredType
      continue
    }
    const parsed = parseSampleLine(line)
    if (parsed.kind === 'invalid') {
      throw new IncidentDataError({
        code: 'METRICS_LINE_INVALID',
        file,
        line: number,
        expected: `${parsed.expected} at column ${parsed.column}`,
        found: parsed.found,
      })
    }
    const { entries, timestamp, value } = parsed.sample
    const labels = makeLabels(entries.map((entry) => normaliseBound(entry, declaredType)))
    const open = series.get(labels.key)
    const sample = { timestamp, value, line: number }
    if (open === undefined) series.set(labels.key, { labels, samples: [sample] })
    else open.samples.push(sample)
  }
  if (!ended) {
    throw new IncidentDataError({
      code: 'METRICS_END_MISSING',
      file,
      expected: 'the last line to be # EOF (the file may have been cut short)',
      found: showValue(lines.findLast((line) => line !== '') ?? '', 120),
    })
  }
  return [...series.values()]
    .map((open) => closeSeries(open, file))
    .toSorted((left, right) => compareLabels(left.labels, right.labels))
}

function normaliseBound(entry: LabelEntry, declaredType: string): LabelEntry {
  const [name, text] = entry
  const holdsBound =
    (declaredType === 'histogram' && name === bucketLabel) || (declaredType === 'summary' && name === 'quantile')
  const bound = holdsBound ? parseGoFloat(text) : undefined
  return bound === undefined ? entry : [name, formatBucketBound(bound)]
}

function closeSeries({ labels, samples }: OpenSeries, file: string): StoredSeries {
  const kept: Sample[] = []
  for (const sample of samples.toSorted((left, right) => left.timestamp - right.timestamp || left.line - right.line)) {
    const previous = kept.at(-1)
    if (previous?.timestamp !== sample.timestamp) {
      kept.push(sample)
    } else if (!Object.is(previous.value, sample.value)) {
      throw new IncidentDataError({
        code: 'METRICS_SAMPLE_CONFLICT',
        file,
        line: sample.line,
        expected: `one value per series and time, as line ${previous.line} already gives ${previous.value}`,
        found: String(sample.value),
      })
    }
  }
  return {
    labels,
    timestamps: Float64Array.from(kept, ({ timestamp }) => timestamp),
    values: Float64Array.from(kept, ({ value }) => value),
  }
}
