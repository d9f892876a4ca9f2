import type { Tool } from '@fairlead/runtime'
import { createIncidentTicket } from './create-incident-ticket.ts'
import { getAlertDetails } from './get-alert-details.ts'
import type { IncidentServices } from './incident-services.ts'
import { rollbackDeployment, restartService } from './production-actions.ts'
import { kubernetesGetPods } from './kubernetes-get-pods.ts'
import { listRecentDeployments } from './list-recent-deployments.ts'
import { lokiSearch } from './loki-search.ts'
import { prometheusQueryRange } from './prometheus-query-range.ts'
import { sendSlackMessage } from './send-slack-message.ts'
import { searchRunbooks } from './search-runbooks.ts'

/**
 * The tools of an incident diagnosis: six that read, and two that file a ticket or send a message after a person agreed. Only with
 * an `actionsFile` also two that act on production.
 */
export function incidentTools(services: IncidentServices): readonly Tool[] {
  return [
    getAlertDetails(services),
    prometheusQueryRange(services),
    lokiSearch(services),
    kubernetesGetPods(services),
    listRecentDeployments(services),
    searchRunbooks(services),
    createIncidentTicket(services),
    sendSlackMessage(services),
    ...(services.actionsFile === undefined
      ? []
      : [restartService(services.actionsFile), rollbackDeployment(services.actionsFile)]),
  ]
}
