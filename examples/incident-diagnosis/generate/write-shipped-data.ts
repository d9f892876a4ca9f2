import { fileURLToPath } from 'node:url'
import { generateIncident } from './generate-incident.ts'
import { shippedIncidents } from './shipped-incidents.ts'
import { writeIncident } from './write-incident.ts'

for (const [folder, parameters] of shippedIncidents) {
  await writeIncident(fileURLToPath(new URL(`../data/${folder}/`, import.meta.url)), generateIncident(parameters))
}
