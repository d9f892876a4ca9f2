import { deployRegression } from './deploy-regression.ts'
import type { DeployRegressionParameters } from './deploy-regression.ts'
import { renderIncident } from './incident-files.ts'
import type { IncidentFiles } from './incident-files.ts'

/** What kind of incident to make, and its numbers and names. */
export type IncidentParameters = { readonly kind: 'deploy-regression' } & DeployRegressionParameters

/** Makes the files of one incident; the same parameters always give the same bytes. */
export function generateIncident(parameters: IncidentParameters): IncidentFiles {
  switch (parameters.kind) {
    case 'deploy-regression':
      return renderIncident(deployRegression(parameters))
    default:
      return parameters.kind satisfies never
  }
}
