/** One request to `/api/v1/query_range`; times and step in seconds. */
export interface RangeQuery {
  readonly promql: string
  readonly start: number
  readonly end: number
  readonly step: number
}

/** An answer's status and body. */
export interface RangeAnswer {
  readonly status: number
  readonly body: unknown
}

/** Asks a server for a range. */
export async function askRange(url: string, { promql, start, end, step }: RangeQuery): Promise<RangeAnswer> {
  const form = new URLSearchParams({ query: promql, start: String(start), end: String(end), step: String(step) })
  const response = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body: form })
  return { status: response.status, body: await response.json() }
}
