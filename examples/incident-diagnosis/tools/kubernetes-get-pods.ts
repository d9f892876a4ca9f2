import { tool, type Tool } from '@fairlead/runtime'
import { z } from 'zod'
import { itemsOf, readPods } from '../sources/index.ts'
import { serviceArgument } from './arguments.ts'
import type { IncidentServices } from './incident-services.ts'
import { success } from './success.ts'

/** What `kubernetes_get_pods` answers. */
export const podsResult = z.object({
  source: z.enum(['present', 'missing']),
  service: z.string(),
  total: z.number(),
  ready: z.number(),
  restarts: z.number(),
  pods: z.array(
    z.object({
      name: z.string(),
      node: z.string(),
      phase: z.string(),
      ready: z.boolean(),
      restarts: z.number(),
      lastRestartAt: z.string().nullable(),
      lastRestartReason: z.string().nullable(),
    }),
  ),
})

/** The tool that lists the pods of a service. */
export function kubernetesGetPods(services: IncidentServices): Tool {
  return tool({
    name: 'kubernetes_get_pods',
    description:
      'List the pods of one service with node, phase, readiness, restarts and the last restart. Use it to see crashes, restarts and pods that are not ready. Do not use it for CPU or memory over time.',
    inputSchema: z.strictObject({ service: serviceArgument('Exact name of the service whose pods are wanted.') }),
    effects: 'read',
    tags: ['incident', 'kubernetes'],
    errorCodes: ['BAD_DATA'],
    execute: async ({ service }) => {
      const source = await readPods(services.dataDirectory)
      const pods = itemsOf(source)
        .filter((pod) => pod.service === service)
        .map(({ name, node, phase, ready, restarts, lastRestartAt, lastRestartReason }) => ({
          name,
          node,
          phase,
          ready,
          restarts,
          lastRestartAt: lastRestartAt ?? null,
          lastRestartReason: lastRestartReason ?? null,
        }))
      const ready = pods.filter((pod) => pod.ready).length
      const restarts = pods.reduce((sum, pod) => sum + pod.restarts, 0)
      return success(
        { source: source.kind, service, total: pods.length, ready, restarts, pods },
        source.kind === 'missing'
          ? 'No data: there is no pod source (pods.json), so this says nothing about the pods.'
          : `${pods.length} pods of ${service}, ${ready} ready, ${restarts} restarts in all.`,
      )
    },
  })
}
