import { deployRegression, type DeployRegressionParameters } from './deploy-regression.ts'
import { renderIncident, type IncidentFiles } from './incident-files.ts'
import type { TroubleParameters } from './incident-parameters.ts'
import { trouble } from './trouble.ts'

/** What kind of incident to make, and its numbers and names. */
export type IncidentParameters =
  | ({ readonly kind: 'deploy-regression' } & DeployRegressionParameters)
  | TroubleParameters

/** Makes the files of one incident; the same parameters always give the same bytes. */
export function generateIncident(parameters: IncidentParameters): IncidentFiles {
  if (parameters.kind === 'deploy-regression') return renderIncident(deployRegression(parameters))
  const { missingFiles } = parameters
  const isMissing = (path: string) => missingFiles.some((name) => path === name || path.startsWith(`${name}/`))
  return new Map([...renderIncident(trouble(parameters))].filter(([path]) => !isMissing(path)))
}
