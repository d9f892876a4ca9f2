import type { Cause } from './report.ts'

const names: { readonly [cause in Cause]: string } = {
  deployment: 'Deployment',
  config_change: 'Configuration change',
  database_saturation: 'Database saturation',
  traffic_surge: 'Traffic surge',
  resource_exhaustion: 'Resource exhaustion',
  dependency_failure: 'Dependency failure',
  no_incident: 'No incident',
  unknown: 'Unknown',
}

/** The English name of a cause. */
export function causeName(cause: Cause): string {
  return names[cause]
}
