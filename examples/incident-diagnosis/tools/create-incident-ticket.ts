import { tool, type Tool } from '@fairlead/runtime'
import { z } from 'zod'
import { lineArgument, serviceArgument } from './arguments.ts'
import { entryBook } from './entry-book.ts'
import type { IncidentServices } from './incident-services.ts'
import { success } from './success.ts'

/** What `create_incident_ticket` answers; `created` is false when the same call had filed it before. */
export const ticketResult = z.object({
  ticketId: z.string(),
  created: z.boolean(),
  title: z.string(),
  service: z.string(),
  severity: z.string(),
})

/** How urgent a ticket is. */
const ticketSeverity = z.enum(['critical', 'high', 'medium', 'low'])

const ticketSchema = z.object({
  id: z.string(),
  idempotencyKey: z.string(),
  createdAt: z.string(),
  title: z.string(),
  service: z.string(),
  severity: z.string(),
  summary: z.string(),
  suspectedCause: z.string(),
  evidence: z.array(z.string()),
  createdFor: z.string(),
})

/** The tool that files an incident ticket, once per call and only after a person agreed. */
export function createIncidentTicket(services: IncidentServices): Tool {
  const book = entryBook({ file: services.ticketsFile, schema: ticketSchema, idPrefix: 'INC' })
  return tool({
    name: 'create_incident_ticket',
    description:
      'File one incident ticket with the suspected cause and the evidence for it. Use it once, when a diagnosis has evidence behind it. Do not use it to change, close or comment on a ticket, and do not repeat it after a refusal.',
    inputSchema: z.strictObject({
      title: lineArgument(200, 'One line: service, symptom and suspected cause.'),
      service: serviceArgument('Exact name of the affected service.'),
      severity: ticketSeverity.describe('How urgent it is.'),
      summary: z.string().min(1).max(4000).describe('What is known, in a few sentences.'),
      suspected_cause: lineArgument(300, 'The kind of cause and the thing, for example: deployment ID.'),
      evidence: z
        .array(lineArgument(500, 'A URI.'))
        .max(50)
        .describe('URIs of the recorded results the diagnosis rests on.'),
    }),
    effects: 'write',
    class: 'idempotencyKey',
    needsApproval: true,
    impact: 'Files a new incident ticket that notifies the on-call of the service. It changes nothing in production.',
    reversible: { by: 'closing the ticket in the ticket system' },
    tags: ['incident', 'tickets'],
    execute: async (args, context) => {
      const filing = await book.file({
        idempotencyKey: context.idempotencyKey,
        createdAt: new Date().toISOString(),
        title: args.title,
        service: args.service,
        severity: args.severity,
        summary: args.summary,
        suspectedCause: args.suspected_cause,
        evidence: args.evidence,
        createdFor: context.principal.id,
      })
      const { id, title, service, severity } = filing.entry
      const created = filing.kind === 'created'
      return success(
        { ticketId: id, created, title, service, severity },
        created ? `Ticket ${id} was filed for ${service}.` : `Ticket ${id} had already been filed by this call.`,
      )
    },
  })
}
