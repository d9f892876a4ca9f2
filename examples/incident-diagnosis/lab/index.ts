export { IncidentDataError } from './incident-data/incident-data-error.ts'
export type { IncidentDataErrorCode } from './incident-data/incident-data-error.ts'
export { startLab } from './start-lab.ts'
export type { Lab } from './start-lab.ts'
