import { dirname, join } from 'node:path'
import { tool, type Tool } from '@fairlead/runtime'
import { z } from 'zod'
import { entryBook } from './entry-book.ts'
import type { IncidentServices } from './incident-services.ts'
import { success } from './success.ts'

const messageSchema = z.object({
  id: z.string(),
  idempotencyKey: z.string(),
  sentAt: z.string(),
  channel: z.string(),
  text: z.string(),
  sentFor: z.string(),
})

/** The tool that sends one message to a channel, once per call and only after a person agreed. In this example it only appends. */
export function sendSlackMessage(services: Pick<IncidentServices, 'messagesFile' | 'ticketsFile'>): Tool {
  const file = services.messagesFile ?? join(dirname(services.ticketsFile), 'messages.jsonl')
  const book = entryBook({ file, schema: messageSchema, idPrefix: 'MSG' })
  return tool({
    name: 'send_slack_message',
    description:
      'Send one message to a Slack channel. Use it to tell a team about an incident when somebody asked for that. Do not use it to file tickets, to ask the user a question, or for data that is not for the whole channel, and do not repeat it after a refusal.',
    inputSchema: z.strictObject({
      channel: z
        .string()
        .regex(/^#[a-z0-9][a-z0-9._-]{0,79}$/)
        .describe('Name of the channel with its #, for example #incidents.'),
      text: z.string().min(1).max(3000).describe('The message as everyone in the channel reads it.'),
    }),
    effects: 'write',
    class: 'idempotencyKey',
    needsApproval: true,
    impact: 'Everyone in the channel reads the message. In this example it is only appended to messages.jsonl.',
    reversible: { by: 'deleting the message in Slack; who has read it has read it' },
    tags: ['incident', 'messages'],
    execute: async ({ channel, text }, context) => {
      const { kind, entry } = await book.file({
        idempotencyKey: context.idempotencyKey,
        sentAt: new Date().toISOString(),
        channel,
        text,
        sentFor: context.principal.id,
      })
      const sent = kind === 'created'
      return success(
        { messageId: entry.id, sent, channel: entry.channel },
        sent
          ? `The message was sent to ${entry.channel}.`
          : `This call had already sent the message to ${entry.channel}.`,
      )
    },
  })
}
