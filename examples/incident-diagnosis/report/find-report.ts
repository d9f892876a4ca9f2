import type { Message } from '@fairlead/runtime'
import { incidentReport, type IncidentReport } from './report.ts'

/** The last data part of the assistant that is a report, `null` when there is none. */
export function findReport(messages: readonly Message[]): IncidentReport | null {
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant') continue
    for (const part of message.parts.toReversed()) {
      if (part.kind !== 'data') continue
      const parsed = incidentReport.safeParse(part.data)
      if (parsed.success) return parsed.data
    }
  }
  return null
}
