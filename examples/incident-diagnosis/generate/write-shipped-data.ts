import { fileURLToPath } from 'node:url'
import { generateIncident } from './generate-incident.ts'
import { orderServiceIncident } from './order-service-incident.ts'
import { writeIncident } from './write-incident.ts'

await writeIncident(
  fileURLToPath(new URL('../data/order-service/', import.meta.url)),
  generateIncident(orderServiceIncident),
)
