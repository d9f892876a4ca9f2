import { z } from 'zod'
import { readJsonList } from './read-json-list.ts'
import type { Source } from './source.ts'
import { nameField } from './text-field.ts'
import { timeField } from './time-field.ts'

const podSchema = z.object({
  name: nameField,
  service: nameField,
  node: nameField,
  phase: nameField,
  ready: z.boolean(),
  restarts: z.number(),
  lastRestartAt: timeField.nullish(),
  lastRestartReason: z.string().nullish(),
})

/** One pod's state as it was recorded, times in UTC. */
export type Pod = z.output<typeof podSchema>

/** Reads `pods.json`. Throws `BAD_DATA`. */
export function readPods(directory: string): Promise<Source<Pod>> {
  return readJsonList(directory, 'pods.json', podSchema)
}
