import type { IncidentParameters } from './generate-incident.ts'

const secondsOf = (time: string): number => Date.parse(time) / 1000

/** The incident that ships with the example. */
export const orderServiceIncident: Extract<IncidentParameters, { readonly kind: 'deploy-regression' }> = {
  kind: 'deploy-regression',
  seed: 8842,
  service: 'order-service',
  upstream: 'payment-service',
  bystander: 'inventory-service',
  deployId: 'deploy_8842',
  earlierDeployIds: { ofBystander: 'deploy_8831', ofService: 'deploy_8817' },
  onset: secondsOf('2026-04-29T09:36:00Z'),
  window: { start: secondsOf('2026-04-29T09:00:00Z'), end: secondsOf('2026-04-29T10:00:00Z') },
  baseLatency: 0.2,
  regressedLatency: 2,
  requestRate: 20,
  podCount: 3,
  scrapeSeconds: 30,
}
