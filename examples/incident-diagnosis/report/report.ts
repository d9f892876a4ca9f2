import { z } from 'zod'

/** What an incident may be put down to. */
export const cause = z.enum([
  'deployment',
  'config_change',
  'database_saturation',
  'traffic_surge',
  'resource_exhaustion',
  'dependency_failure',
  'no_incident',
  'unknown',
])

const conclusion = z.strictObject({
  cause,
  subject: z.string(),
  confidence: z.enum(['high', 'medium', 'low']),
  statement: z.string(),
})

const evidence = z.strictObject({
  id: z.string(),
  kind: z.enum(['alert', 'metric', 'log', 'deployment', 'pod', 'runbook']),
  uri: z.string(),
  statement: z.string(),
})

/** The form of a diagnosis report. Every `evidence` id in `excluded` names an entry of `evidence`. */
export const incidentReport = z
  .strictObject({
    conclusion,
    evidence: z.array(evidence),
    excluded: z.array(z.strictObject({ cause, because: z.string(), evidence: z.array(z.string()) })),
    gaps: z.array(z.string()),
    nextActions: z.array(z.strictObject({ action: z.string(), needsApproval: z.boolean(), reason: z.string() })),
  })
  .refine(
    (report) => {
      const ids = new Set(report.evidence.map(({ id }) => id))
      return (
        ids.size === report.evidence.length && report.excluded.every((each) => each.evidence.every((id) => ids.has(id)))
      )
    },
    { message: 'evidence ids must be unique, and excluded causes may only cite ids of the evidence' },
  )

export type Cause = z.output<typeof cause>
export type Conclusion = z.output<typeof conclusion>
export type Confidence = Conclusion['confidence']
export type EvidenceEntry = z.output<typeof evidence>
export type IncidentReport = z.output<typeof incidentReport>
export type NextAction = IncidentReport['nextActions'][number]
