export { causeName } from './cause-name.ts'
export { findReport } from './find-report.ts'
export { languageOf, sayIn, type Language, type Say } from './language.ts'
export { oneLine } from './one-line.ts'
export { renderReport } from './render-report.ts'
export {
  incidentReport,
  type Cause,
  type Conclusion,
  type Confidence,
  type EvidenceEntry,
  type IncidentReport,
  type NextAction,
} from './report.ts'
