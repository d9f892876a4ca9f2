import { tool, ToolError, type Tool } from '@fairlead/runtime'
import { z } from 'zod'
import { formatTime } from '../sources/index.ts'
import { readTimeRange, timeArgument } from './arguments.ts'
import { fetchJson } from './fetch-json.ts'
import type { IncidentServices } from './incident-services.ts'
import { success } from './success.ts'

/** The longest step the tool takes: a day. */
export const longestStepSeconds = 86_400

/** A time within years of four digits, which is what can be told. */
const unixSeconds = z.number().min(-62_167_219_200).max(253_402_300_799)

const point = z.tuple([z.number(), z.number().nullable()])

/** What `prometheus_query_range` answers. Points are [unix seconds, value]; NaN and the infinities are `null`. */
export const metricResult = z.object({
  promql: z.string(),
  start: z.string(),
  end: z.string(),
  stepSeconds: z.number(),
  seriesCount: z.number(),
  pointCount: z.number(),
  series: z.array(z.object({ labels: z.record(z.string(), z.string()), points: z.array(point) })),
})

const matrixAnswer = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([unixSeconds, z.string()])).default([]),
      }),
    ),
  }),
})

/** The tool that reads numeric time series from Prometheus. */
export function prometheusQueryRange(services: IncidentServices): Tool {
  return tool({
    name: 'prometheus_query_range',
    description:
      'Query Prometheus time series data for production service diagnostics. Use this only for numeric metrics such as latency, error rate, QPS, CPU, and memory. Do not use it for logs, traces, user data, or write operations.',
    inputSchema: z.strictObject({
      promql: z.string().min(1).max(4000).describe('A PromQL expression that is evaluated at every step of the range.'),
      start_time: timeArgument('Start of the range, RFC 3339 with a zone.'),
      end_time: timeArgument('End of the range, RFC 3339 with a zone, after the start.'),
      step_seconds: z
        .int()
        .min(1)
        .max(longestStepSeconds)
        .describe(
          'Query resolution in seconds. Use 60 for incident diagnosis unless a higher resolution is necessary.',
        ),
    }),
    effects: 'read',
    tags: ['incident', 'metrics'],
    timeoutMs: 20_000,
    errorCodes: ['PROMQL_UNSUPPORTED', 'PROMQL_SYNTAX_ERROR', 'RESULT_TOO_LARGE', 'BAD_DATA'],
    execute: async (args, context) => {
      const range = readTimeRange(args.start_time, args.end_time)
      const answer = matrixAnswer.safeParse(
        await fetchJson({
          system: 'Prometheus',
          baseUrl: services.prometheusUrl,
          path: '/api/v1/query_range',
          query: {
            query: args.promql,
            start: String(range.start),
            end: String(range.end),
            step: String(args.step_seconds),
          },
          signal: context.signal,
          timeoutMs: services.requestTimeoutMs,
        }),
      )
      if (!answer.success) throw new ToolError('UNAVAILABLE', 'Prometheus answered in a form that is not its own.')
      const series = answer.data.data.result.map(({ metric, values }) => ({
        labels: metric,
        points: values.map(([time, value]) => [time, finiteOrNull(value)] as const),
      }))
      const pointCount = series.reduce((sum, { points }) => sum + points.length, 0)
      return success(
        {
          promql: args.promql,
          start: formatTime(range.start),
          end: formatTime(range.end),
          stepSeconds: args.step_seconds,
          seriesCount: series.length,
          pointCount,
          series,
        },
        summarise(series),
      )
    },
  })
}

function finiteOrNull(text: string): number | null {
  const value = Number(text)
  return text !== '' && Number.isFinite(value) ? value : null
}

type NumericSeries = { readonly points: readonly (readonly [number, number | null])[] }

function summarise(series: readonly NumericSeries[]): string {
  if (series.length === 0) return 'No series matched in this range.'
  const values = series.flatMap(({ points }) => points.flatMap(([, value]) => (value === null ? [] : [value])))
  const points = series.reduce((sum, each) => sum + each.points.length, 0)
  if (values.length === 0) return `${series.length} series, ${points} points, none of them a number.`
  const least = values.reduce((left, right) => Math.min(left, right))
  const most = values.reduce((left, right) => Math.max(left, right))
  return `${series.length} series, ${points} points, values from ${Number(least.toPrecision(4))} to ${Number(most.toPrecision(4))}.`
}
