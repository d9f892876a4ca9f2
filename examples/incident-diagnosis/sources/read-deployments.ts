import { z } from 'zod'
import { readJsonList } from './read-json-list.ts'
import type { Source } from './source.ts'
import { nameField } from './text-field.ts'
import { timeField } from './time-field.ts'

const deploymentSchema = z.object({
  id: nameField,
  service: nameField,
  version: nameField,
  previousVersion: nameField.nullish(),
  finishedAt: timeField,
  kind: z.enum(['code', 'config', 'flag']).default('code'),
  changes: z.array(z.string()).default([]),
})

/** One finished deployment, configuration change or flag change, times in UTC. */
export type Deployment = z.output<typeof deploymentSchema>

/** Reads `deployments.json`. Throws `BAD_DATA`. */
export function readDeployments(directory: string): Promise<Source<Deployment>> {
  return readJsonList(directory, 'deployments.json', deploymentSchema)
}
