import type { IncidentReport, NextAction } from '../../report/index.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import type { Facts } from '../facts/facts.ts'
import { conclude } from './conclude.ts'
import { gatherEvidence } from './gather-evidence.ts'
import { nextActions, proposedTicket } from './next-actions.ts'

/**
 * The report of a diagnosis; excluded causes cite the evidence by the ids given here. `ticket` says what to do about the
 * incident ticket; left out, the report proposes one where the diagnosis is worth it.
 */
export function writeReport(facts: Facts, diagnosis: Diagnosis, ticket?: readonly NextAction[]): IncidentReport {
  const keyed = gatherEvidence(facts, diagnosis).map((entry, index) => ({ ...entry, id: `e${index + 1}` }))
  const idOf = new Map(keyed.map(({ key, id }) => [key, id]))
  return {
    conclusion: conclude(facts, diagnosis),
    evidence: keyed.map(({ id, kind, uri, statement }) => ({ id, kind, uri, statement })),
    excluded: diagnosis.excluded.map(({ cause, because, cites }) => ({
      cause,
      because,
      evidence: cites.flatMap((key) => idOf.get(key) ?? []),
    })),
    gaps: [...facts.gaps],
    nextActions: [...nextActions(facts, diagnosis), ...(ticket ?? proposedTicket(facts, diagnosis))],
  }
}
