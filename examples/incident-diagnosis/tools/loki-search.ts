import { tool, ToolError, type Tool } from '@fairlead/runtime'
import { z } from 'zod'
import { formatTime } from '../sources/index.ts'
import { readTimeRange, timeArgument } from './arguments.ts'
import { fetchJson } from './fetch-json.ts'
import { groupLogLines, type LogLine } from './group-log-lines.ts'
import type { IncidentServices } from './incident-services.ts'
import { success } from './success.ts'

const mostLinesRead = 5000
const mostPatterns = 12
const longestLine = 400

const labels = z.record(z.string(), z.string())

/** What `loki_search` answers: every matching line counted by pattern, and the first `limit` lines themselves. */
export const logResult = z.object({
  logql: z.string(),
  start: z.string(),
  end: z.string(),
  matched: z.number(),
  truncated: z.boolean(),
  binSeconds: z.number(),
  patternCount: z.number(),
  patterns: z.array(
    z.object({
      pattern: z.string(),
      example: z.string(),
      count: z.number(),
      firstSeen: z.string(),
      lastSeen: z.string(),
      counts: z.array(z.tuple([z.number(), z.number()])),
    }),
  ),
  entries: z.array(z.object({ time: z.string(), labels, line: z.string() })),
})

/** Nanoseconds since the epoch as digits, of a year that can be told. */
const nanoseconds = z.string().regex(/^-?\d{1,19}$/)

const streamsAnswer = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('streams'),
    result: z.array(
      z.object({ stream: labels, values: z.array(z.tuple([nanoseconds, z.string()]).rest(z.unknown())) }),
    ),
  }),
})

const metricAnswer = z.object({ data: z.object({ resultType: z.enum(['matrix', 'vector', 'scalar']) }) })

/** The tool that searches log lines in Loki. */
export function lokiSearch(services: IncidentServices): Tool {
  return tool({
    name: 'loki_search',
    description:
      'Search log lines in Loki by labels and text, oldest first, grouped into patterns with counts over time. Use it for error messages of a service in a known time range. Do not use it for numeric metrics, and do not search without a service label.',
    inputSchema: z.strictObject({
      logql: z
        .string()
        .min(1)
        .max(4000)
        .describe(
          'LogQL stream selector with optional line filters, | json and label filters, for example {service="name",level="error"} |= "text".',
        ),
      start_time: timeArgument('Start of the range, RFC 3339 with a zone.'),
      end_time: timeArgument('End of the range, RFC 3339 with a zone, after the start.'),
      limit: z.int().min(1).max(200).describe('How many lines to return in full; counts and patterns cover all lines.'),
    }),
    effects: 'read',
    tags: ['incident', 'logs'],
    timeoutMs: 20_000,
    errorCodes: ['LOGQL_UNSUPPORTED', 'LOGQL_SYNTAX_ERROR', 'RESULT_TOO_LARGE', 'BAD_DATA'],
    execute: async (args, context) => {
      const range = readTimeRange(args.start_time, args.end_time)
      const body = await fetchJson({
        system: 'Loki',
        baseUrl: services.lokiUrl,
        path: '/loki/api/v1/query_range',
        query: {
          query: args.logql,
          start: formatTime(range.start),
          end: formatTime(range.end),
          limit: String(mostLinesRead),
          direction: 'forward',
        },
        signal: context.signal,
        timeoutMs: services.requestTimeoutMs,
      })
      const answer = streamsAnswer.safeParse(body)
      if (metricAnswer.safeParse(body).success) {
        throw new ToolError(
          'INVALID_ARGUMENT',
          'logql must select lines, not count them; counts over time come with the lines.',
        )
      }
      if (!answer.success) throw new ToolError('UNAVAILABLE', 'Loki answered in a form that is not its own.')
      const lines = linesInOrder(answer.data.data.result)
      const binSeconds = Math.max(60, Math.ceil((range.end - range.start) / 7200) * 60)
      const patterns = groupLogLines(lines, binSeconds)
      return success(
        {
          logql: args.logql,
          start: formatTime(range.start),
          end: formatTime(range.end),
          matched: lines.length,
          truncated: lines.length >= mostLinesRead,
          binSeconds,
          patternCount: patterns.length,
          patterns: patterns.slice(0, mostPatterns).map(({ first, last, example, ...rest }) => ({
            ...rest,
            example: example.slice(0, longestLine),
            firstSeen: formatTime(first),
            lastSeen: formatTime(last),
          })),
          entries: lines.slice(0, args.limit).map(({ time, labels: own, line }) => ({
            time: formatTime(time),
            labels: own,
            line: line.slice(0, longestLine),
          })),
        },
        patterns[0] === undefined
          ? 'No line matched in this range.'
          : `${lines.length} lines in ${patterns.length} patterns; most frequent (${patterns[0].count}): ${patterns[0].example.slice(0, 120)}`,
      )
    },
  })
}

type Stream = { readonly stream: Readonly<Record<string, string>>; readonly values: readonly (readonly unknown[])[] }

function linesInOrder(streams: readonly Stream[]): readonly LogLine[] {
  return streams
    .flatMap(({ stream, values }) =>
      values.map(([nanoseconds, line]): LogLine => ({
        time: secondsOf(String(nanoseconds)),
        labels: stream,
        line: String(line),
      })),
    )
    .toSorted((left, right) => left.time - right.time)
}

function secondsOf(nanoseconds: string): number {
  // Milliseconds are enough for reasoning about minutes and survive the float.
  return Number(nanoseconds.slice(0, -6)) / 1000
}
