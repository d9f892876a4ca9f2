const latencyAfterDeploy = `# Latency regression after a deployment

Use this when the P95 or P99 latency of a service rises within minutes of a deployment.

## Confirm
1. Compare P95 latency 30 minutes before and after the deployment's finish time. The rise must not start before it.
2. Check that request rate, CPU, memory and the database pool did not change at the same time.
3. Search error logs of the service from the finish time on: client time-outs and retries point to a changed dependency call.
4. Compare the called service's own latency with what its caller measures. If only the caller sees it slow, the caller's client is at fault.

## Act
1. Read the deployment's changes, first those to time-outs, retries and connection pools.
2. Open an incident and inform the service's on-call.
3. Roll back only with approval. Rolling back restores latency within two scrape intervals when the deployment is the cause.
`

const databasePool = `# Database connection pool saturation

Use this when requests wait for a database connection.

## Confirm
1. \`db_connections_in_use\` stays within 5% of \`db_connections_max\` for several minutes.
2. Logs show time-outs while acquiring a connection.
3. Latency rises while CPU stays flat or falls.

## Act
1. Find long transactions and stop the query that holds them, with approval.
2. Raise the pool size only after checking the database's own limit.
`

const trafficSurge = `# Traffic surge

Use this when a service slows down because it receives more requests than usual.

## Confirm
1. The request rate rose before or together with latency, by at least half.
2. CPU of most pods rose with it.
3. No deployment or flag change explains the rise.

## Act
1. Scale out the service, with approval.
2. Turn on rate limiting for the heaviest client.
`

const dependencyFailure = `# A dependency is slow or failing

Use this when calls to another service take long or fail.

## Confirm
1. \`upstream_request_duration_seconds\` rises for one upstream only.
2. The upstream's own latency or error ratio rises too, for all of its callers. If it does not, look at the caller's client and its last change.
3. The rise of the upstream comes before the rise of the service.

## Act
1. Inform the upstream's on-call.
2. Turn on the fallback for the upstream, with approval.
`

/** The runbooks every generated incident carries: file name to Markdown. */
export const runbooks: ReadonlyMap<string, string> = new Map([
  ['database-pool-saturation.md', databasePool],
  ['dependency-failure.md', dependencyFailure],
  ['latency-regression-after-deploy.md', latencyAfterDeploy],
  ['traffic-surge.md', trafficSurge],
])
