import type { Tool } from '@fairlead/runtime'
import { createIncidentTicket } from './create-incident-ticket.ts'
import { getAlertDetails } from './get-alert-details.ts'
import type { IncidentServices } from './incident-services.ts'
import { kubernetesGetPods } from './kubernetes-get-pods.ts'
import { listRecentDeployments } from './list-recent-deployments.ts'
import { lokiSearch } from './loki-search.ts'
import { prometheusQueryRange } from './prometheus-query-range.ts'
import { searchRunbooks } from './search-runbooks.ts'

/** The tools of an incident diagnosis: six that read, and one that files a ticket after a person agreed. */
export function incidentTools(services: IncidentServices): readonly Tool[] {
  return [
    getAlertDetails(services),
    prometheusQueryRange(services),
    lokiSearch(services),
    kubernetesGetPods(services),
    listRecentDeployments(services),
    searchRunbooks(services),
    createIncidentTicket(services),
  ]
}
