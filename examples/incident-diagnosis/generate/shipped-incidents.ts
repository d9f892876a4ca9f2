import type { IncidentParameters } from './generate-incident.ts'
import type { TroubleParameters } from './incident-parameters.ts'
import { orderServiceIncident } from './order-service-incident.ts'

const secondsOf = (time: string): number => Date.parse(time) / 1000

const common = {
  alertStatesWindow: true,
  rampSeconds: 40,
  changeLeadSeconds: 30,
  requestRate: 14,
  podCount: 3,
  scrapeSeconds: 60,
  noise: 0.03,
  utcOffsetMinutes: 0,
  missingFiles: [],
} as const

const databaseSaturation: TroubleParameters = {
  ...common,
  kind: 'database-saturation',
  seed: 2417,
  service: 'invoice-service',
  upstream: 'tax-service',
  bystander: 'archive-service',
  changeIds: { first: 'deploy_2417', second: 'flag_2417', decoy: 'deploy_24' },
  onset: secondsOf('2026-05-12T14:22:00Z'),
  window: { start: secondsOf('2026-05-12T13:50:00Z'), end: secondsOf('2026-05-12T14:50:00Z') },
  baseLatency: 0.15,
  slowdown: 9,
  decoys: ['deploy-before', 'noisy-log'],
  utcOffsetMinutes: 120,
}

const trafficSurge: TroubleParameters = {
  ...common,
  kind: 'traffic-surge',
  seed: 5150,
  service: 'ticket-search',
  upstream: 'venue-service',
  bystander: 'seat-map-service',
  changeIds: { first: 'deploy_5150', second: 'flag_5150', decoy: 'deploy_51' },
  onset: secondsOf('2026-06-01T07:58:00Z'),
  window: { start: secondsOf('2026-06-01T07:30:00Z'), end: secondsOf('2026-06-01T08:30:00Z') },
  baseLatency: 0.11,
  slowdown: 6,
  decoys: ['bystander-deploy', 'deploy-after'],
}

const falseAlarm: TroubleParameters = {
  ...common,
  kind: 'false-alarm',
  seed: 3306,
  service: 'profile-service',
  upstream: 'avatar-service',
  bystander: 'friends-service',
  changeIds: { first: 'deploy_3306', second: 'flag_3306', decoy: 'deploy_33' },
  onset: secondsOf('2026-06-18T22:41:00Z'),
  window: { start: secondsOf('2026-06-18T22:10:00Z'), end: secondsOf('2026-06-18T23:10:00Z') },
  baseLatency: 0.24,
  slowdown: 2,
  decoys: ['deploy-before', 'restart-long-ago', 'noisy-log'],
}

/** The incidents that ship with the example, by the name of their folder. */
export const shippedIncidents: ReadonlyMap<string, IncidentParameters> = new Map<string, IncidentParameters>([
  [orderServiceIncident.service, orderServiceIncident],
  [databaseSaturation.service, databaseSaturation],
  [trafficSurge.service, trafficSurge],
  [falseAlarm.service, falseAlarm],
])
