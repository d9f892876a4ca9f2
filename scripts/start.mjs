// `npm start`: the main job on the shipped incident, offline, without a question asked.
import { runFairlead } from './fairlead.mjs'

runFairlead([
  'run',
  'The P95 latency of order-service rose from 200ms to 2s. Please analyse the likely causes.',
  '--example',
  'incident-diagnosis',
  ...process.argv.slice(2),
])
