import { describe, expect, it } from 'vitest'
import { labelsToObject } from '../metrics/labels.ts'
import { IncidentDataError } from './incident-data-error.ts'
import { parseLogLines } from './parse-log-lines.ts'

describe('parseLogLines', () => {
  it('sorts by exact time whatever the zone, keeps the order of equal times and ignores other fields', () => {
    const lines = [
      { ts: '2026-04-29T17:00:00.000000002+08:00', labels: { a: '1' }, line: 'third', trace: 'x' },
      { ts: '2026-04-29T09:00:00.000000001Z', labels: { a: '1' }, line: 'first' },
      { ts: '2026-04-29T04:00:00.000000001-05:00', labels: { a: '2', b: '' }, line: 'second' },
    ]
    const text = `${lines.map((line) => JSON.stringify(line)).join('\r\n')}\n\n`
    const entries = parseLogLines(text, 'logs.jsonl')
    expect(entries.map(({ line }) => line)).toEqual(['first', 'second', 'third'])
    expect(entries.map(({ timestamp }) => timestamp % 1000n)).toEqual([1n, 1n, 2n])
    expect(entries.map(({ labels }) => labelsToObject(labels))).toEqual([{ a: '1' }, { a: '2' }, { a: '1' }])
  })

  it.each([
    ['{', 'a JSON object with ts, labels and line, found "{"'],
    ['[]', 'a JSON object with ts, labels and line, found "[]"'],
    ['{"labels":{"a":"b"},"line":"x"}', 'ts to be an RFC 3339 time with its zone, found nothing'],
    [
      '{"ts":"2026-04-29","labels":{"a":"b"},"line":"x"}',
      'ts to be an RFC 3339 time with its zone, found "2026-04-29"',
    ],
    ['{"ts":"2026-04-29T09:00:00Z","labels":{"a":1},"line":"x"}', 'all values text, found {"a":1}'],
    ['{"ts":"2026-04-29T09:00:00Z","labels":{},"line":"x"}', 'at least one label, all values text, found {}'],
    ['{"ts":"2026-04-29T09:00:00Z","labels":{"a":"b"},"line":7}', 'line to be text, found 7'],
  ])('names the line and what it expected for %s', (line, text) => {
    const good = '{"ts":"2026-04-29T09:00:00Z","labels":{"a":"b"},"line":"x"}'
    const attempt = () => parseLogLines(`${good}\n${line}\n`, 'logs.jsonl')
    expect(attempt).toThrow(IncidentDataError)
    expect(attempt).toThrow('LOGS_LINE_INVALID: logs.jsonl, line 2: expected ')
    expect(attempt).toThrow(text)
  })
})
