import { z } from 'zod'
import { readJsonList } from './read-json-list.ts'
import type { Source } from './source.ts'
import { nameField } from './text-field.ts'
import { timeField } from './time-field.ts'

const level = z.union([z.string(), z.number()]).nullish()

const alertSchema = z.object({
  id: nameField,
  service: nameField,
  metric: z.string(),
  from: level,
  to: level,
  startedAt: timeField,
  window: z.object({ start: timeField, end: timeField }).nullish(),
  severity: nameField,
})

/** One alert as the data folder states it, times in UTC. `metric` is free text, never a query. */
export type Alert = z.output<typeof alertSchema>

/** Reads `alerts.json`. Throws `BAD_DATA`. */
export function readAlerts(directory: string): Promise<Source<Alert>> {
  return readJsonList(directory, 'alerts.json', alertSchema)
}
