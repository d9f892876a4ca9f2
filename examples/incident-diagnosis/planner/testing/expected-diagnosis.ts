import type { Trouble, TroubleParameters } from '../../generate/index.ts'
import type { Cause, IncidentReport } from '../../report/index.ts'

const causes: { readonly [trouble in Trouble]: readonly Cause[] } = {
  deployment: ['deployment'],
  'config-change': ['config_change'],
  'flag-change': ['config_change'],
  'database-saturation': ['database_saturation'],
  'traffic-surge': ['traffic_surge'],
  'cpu-exhaustion': ['resource_exhaustion'],
  'memory-exhaustion': ['resource_exhaustion'],
  'dependency-failure': ['dependency_failure'],
  'false-alarm': ['no_incident'],
  'two-suspects': ['deployment', 'config_change'],
}

/** Why a report is not the right answer to a made-up incident; `null` when it is. Only tests use it. */
export function faultOf(report: IncidentReport | null, parameters: TroubleParameters): string | null {
  if (report === null) return 'no report'
  const { cause, subject, confidence, statement } = report.conclusion
  const { changeIds, upstream, kind } = parameters
  const found = `${cause} (${confidence}): ${statement}`
  if (!causes[kind].includes(cause)) return found
  switch (kind) {
    case 'deployment':
    case 'config-change':
    case 'flag-change':
      return subject === changeIds.first ? null : found
    case 'two-suspects':
      return subject === changeIds.first || (statement.includes(changeIds.first) && confidence !== 'high')
        ? null
        : found
    case 'dependency-failure':
      return subject === upstream ? null : found
    default:
      return null
  }
}

/** Whether a false alarm was blamed on something with more than low confidence. Only tests use it. */
export function isWronglyBlamed(report: IncidentReport | null, { kind }: TroubleParameters): boolean {
  if (kind !== 'false-alarm' || report === null) return false
  const { cause, confidence } = report.conclusion
  return cause !== 'no_incident' && cause !== 'unknown' && confidence !== 'low'
}
