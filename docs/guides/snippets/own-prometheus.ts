// #region tool
import { tool, ToolError, type Tool } from 'fairlead'
import { z } from 'zod'

const answer = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.number(), z.string()])),
      }),
    ),
  }),
})

/** A tool that asks the Prometheus at `baseUrl`, for example `http://127.0.0.1:9090`. */
export function queryPrometheus(baseUrl: string): Tool {
  return tool({
    name: 'query_prometheus',
    description: 'Values of one PromQL expression over time. Not for logs.',
    inputSchema: z.strictObject({
      query: z.string().describe('PromQL, for example sum(rate(http_requests_total[5m])).'),
      start: z.iso.datetime().describe('Start of the window, UTC.'),
      end: z.iso.datetime().describe('End of the window, UTC.'),
      step_seconds: z.int().min(15).max(3600),
    }),
    effects: 'read',
    timeoutMs: 10_000,
    errorCodes: ['UNAVAILABLE', 'INVALID_ARGUMENT'],
    execute: async ({ query, start, end, step_seconds: step }, { signal }) => {
      const url = new URL('/api/v1/query_range', baseUrl)
      url.search = new URLSearchParams({ query, start, end, step: String(step) }).toString()
      const response = await fetch(url, { signal }).catch((cause: unknown) => {
        throw new ToolError('UNAVAILABLE', 'Prometheus cannot be reached now.', { retryable: true, cause })
      })
      if (response.status === 400 || response.status === 422) {
        throw new ToolError(
          'INVALID_ARGUMENT',
          `Prometheus refused the query: ${(await response.text()).slice(0, 300)}`,
        )
      }
      if (!response.ok) throw new ToolError('UNAVAILABLE', `Prometheus answered with HTTP status ${response.status}.`)
      const { result } = answer.parse(await response.json()).data
      return result.map(({ metric, values }) => ({ metric, values }))
    },
  })
}
// #endregion

// #region config
import { Agent, defineConfig, type FairleadConfig } from 'fairlead'

const config: FairleadConfig = defineConfig({
  agent: () =>
    new Agent({
      name: 'on-call',
      instructions: 'You explain what changed in the metrics of one service. Quote the values you found.',
      tools: [queryPrometheus(process.env['PROMETHEUS_URL'] ?? 'http://127.0.0.1:9090')],
    }),
})
export default config
// #endregion
