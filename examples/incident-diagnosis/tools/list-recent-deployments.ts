import { tool, type Tool } from '@fairlead/runtime'
import { z } from 'zod'
import { itemsOf, parseTime, readDeployments } from '../sources/index.ts'
import { readTimeRange, serviceArgument, timeArgument } from './arguments.ts'
import type { IncidentServices } from './incident-services.ts'
import { success } from './success.ts'

/** What `list_recent_deployments` answers, oldest first. */
export const deploymentsResult = z.object({
  source: z.enum(['present', 'missing']),
  service: z.string().nullable(),
  start: z.string(),
  end: z.string(),
  count: z.number(),
  deployments: z.array(
    z.object({
      id: z.string(),
      service: z.string(),
      version: z.string(),
      previousVersion: z.string().nullable(),
      finishedAt: z.string(),
      kind: z.enum(['code', 'config', 'flag']),
      changes: z.array(z.string()),
    }),
  ),
})

/** The tool that lists what was deployed, configured or switched in a span of time. */
export function listRecentDeployments(services: IncidentServices): Tool {
  return tool({
    name: 'list_recent_deployments',
    description:
      'List finished code deployments, configuration changes and flag changes in a time range, oldest first, with what changed. Use it to compare the start of an incident with what was changed before. Do not use it to deploy or roll back.',
    inputSchema: z.strictObject({
      service: serviceArgument('Exact name of one service. Leave it out for all services.').optional(),
      start_time: timeArgument('Start of the range, RFC 3339 with a zone. Look some hours back from the incident.'),
      end_time: timeArgument('End of the range, RFC 3339 with a zone, after the start.'),
    }),
    effects: 'read',
    tags: ['incident', 'deployments'],
    errorCodes: ['BAD_DATA'],
    execute: async (args) => {
      const range = readTimeRange(args.start_time, args.end_time)
      const source = await readDeployments(services.dataDirectory)
      const deployments = itemsOf(source)
        .map((deployment) => ({ deployment, finished: parseTime(deployment.finishedAt) ?? 0 }))
        .filter(({ deployment, finished }) => {
          const wanted = args.service === undefined || deployment.service === args.service
          return wanted && finished >= range.start && finished <= range.end
        })
        .toSorted((left, right) => left.finished - right.finished)
        .map(({ deployment }) => ({ ...deployment, previousVersion: deployment.previousVersion ?? null }))
      const latest = deployments.at(-1)
      return success(
        {
          source: source.kind,
          service: args.service ?? null,
          start: args.start_time,
          end: args.end_time,
          count: deployments.length,
          deployments,
        },
        source.kind === 'missing'
          ? 'No data: there is no deployment source (deployments.json), so this says nothing about changes.'
          : latest === undefined
            ? 'Nothing was deployed in this range.'
            : `${deployments.length} changes, the latest ${latest.id} of ${latest.service} at ${latest.finishedAt}.`,
      )
    },
  })
}
