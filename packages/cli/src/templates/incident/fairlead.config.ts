import { appendFileSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, defineConfig, textOf, tool, ToolError } from 'fairlead'
import type { ChatClient, ChatResponse, ContentPart, Json, JsonObject, Message } from 'fairlead'

type Deployment = { readonly service: string; readonly version: string; readonly at: string }
type LogLine = { readonly at: string; readonly service: string; readonly level: string; readonly message: string }

const ownData = join(dirname(fileURLToPath(import.meta.url)), 'data')

const serviceArgument = {
  type: 'object',
  properties: { service: { type: 'string', description: 'Name of the service, for example checkout.' } },
  required: ['service'],
  additionalProperties: false,
}

// The schema was checked before `execute` is called.
const serviceIn = (args: JsonObject): string => args['service'] as string

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The place is for the person who keeps the data; what was found there is not for a model.
    throw new ToolError('BAD_DATA', `${where} is not JSON. Go on without this source and name it as a gap.`)
  }
}

function readDeployments(folder: string): readonly Deployment[] {
  return parsed(readFileSync(join(folder, 'deployments.json'), 'utf8'), 'deployments.json') as readonly Deployment[]
}

function readLogs(folder: string): readonly LogLine[] {
  const lines = readFileSync(join(folder, 'logs.jsonl'), 'utf8').trimEnd().split('\n')
  return lines.map((line, index) => parsed(line, `logs.jsonl, line ${index + 1}`) as LogLine)
}

function requireService(service: string, folder: string): void {
  const known = [...new Set(readDeployments(folder).map((deployment) => deployment.service))]
  if (known.includes(service)) return
  throw new ToolError('UNKNOWN_SERVICE', `There is no service "${service}". Known services: ${known.join(', ')}.`)
}

/** Two tools that read a folder, and one that files a ticket after a person agreed. */
function incidentTools(folder: string, ticketsFile: string) {
  return [
    tool({
      name: 'list_recent_deployments',
      description: 'Deployments of one service, the newest first.',
      inputSchema: serviceArgument,
      effects: 'read',
      errorCodes: ['UNKNOWN_SERVICE', 'BAD_DATA'],
      execute: (args) => {
        const service = serviceIn(args)
        requireService(service, folder)
        const own = readDeployments(folder).filter((deployment) => deployment.service === service)
        return { count: own.length, deployments: own.toSorted((left, right) => right.at.localeCompare(left.at)) }
      },
    }),
    tool({
      name: 'search_error_logs',
      description: 'Error messages of one service with how often and since when.',
      inputSchema: serviceArgument,
      effects: 'read',
      errorCodes: ['UNKNOWN_SERVICE', 'BAD_DATA'],
      execute: (args) => {
        const service = serviceIn(args)
        requireService(service, folder)
        const errors = readLogs(folder).filter((line) => line.service === service && line.level === 'error')
        return { count: errors.length, first: errors[0]?.at ?? null, message: errors[0]?.message ?? null }
      },
    }),
    tool({
      name: 'create_incident_ticket',
      description: 'Files a ticket. Only with evidence from the other tools.',
      inputSchema: {
        type: 'object',
        properties: { title: { type: 'string' }, body: { type: 'string' } },
        required: ['title', 'body'],
        additionalProperties: false,
      },
      effects: 'write',
      needsApproval: true,
      impact: 'Files one ticket in tickets.jsonl.',
      execute: ({ title, body }, { idempotencyKey }) => {
        appendFileSync(ticketsFile, `${JSON.stringify({ title, body, idempotencyKey })}\n`)
        return { filed: true }
      },
    }),
  ]
}

function call(name: string, args: JsonObject): ContentPart {
  return { kind: 'function_call', callId: `offline_${name}`, name, arguments: JSON.stringify(args) }
}

/** What a call answered: its data, or the code of its failure; `undefined` while it was not made. */
function outcomeOf(messages: readonly Message[], name: string): Json | undefined {
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.kind !== 'function_result' || part.name !== name) continue
    if (part.status === 'error') return part.errorCode ?? 'INTERNAL'
    const data = part.content.find(({ kind }) => kind === 'data')
    return data?.kind === 'data' ? data.data : null
  }
  return undefined
}

function field(value: Json | undefined, name: string): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'unknown'
  const found = (value as JsonObject)[name] ?? 'unknown'
  return typeof found === 'string' ? found : JSON.stringify(found)
}

/** A fixed script in the place of a model: reads both sources, then proposes a ticket. Keeps nothing between turns. */
const offlineModel: ChatClient = {
  model: 'offline-script',
  notice: 'Answers come from a fixed script in fairlead.config.ts, not from a language model.',
  generate: (request): Promise<ChatResponse> => {
    const turn = (text: string, ...calls: readonly ContentPart[]): Promise<ChatResponse> =>
      Promise.resolve({
        parts: [{ kind: 'text', text }, ...calls],
        finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
      })
    const prompt = textOf(request.messages.findLast(({ role }) => role === 'user')?.parts ?? [])
    const service = /\b([a-z][a-z0-9]*(?:-[a-z0-9]+)*) (?:is|got|became|was|slow)\b/.exec(prompt)?.[1] ?? 'checkout'
    const deployments = outcomeOf(request.messages, 'list_recent_deployments')
    const logs = outcomeOf(request.messages, 'search_error_logs')
    if (deployments === undefined || logs === undefined) {
      const reads = ['list_recent_deployments', 'search_error_logs'].map((name) => call(name, { service }))
      return turn(`I read the deployments and the error logs of ${service}.`, ...reads)
    }
    if (typeof logs === 'string') return turn(`The logs of ${service} could not be read: ${logs}.`)
    const found = `${field(logs, 'count')} errors since ${field(logs, 'first')}: ${field(logs, 'message')}.`
    const ticket = outcomeOf(request.messages, 'create_incident_ticket')
    if (ticket === undefined) {
      const body = `${found} Deployments: ${field(deployments, 'deployments')}`
      return turn(`${service}: ${found}`, call('create_incident_ticket', { title: `Errors in ${service}`, body }))
    }
    return turn(typeof ticket === 'string' ? `No ticket was filed: ${ticket}.` : `The ticket is filed. ${found}`)
  },
}

export default defineConfig({
  agent: ({ data, storeFile }) =>
    new Agent({
      name: 'incident-desk',
      instructions: 'You collect evidence about one service, then propose a ticket. Say which sources were missing.',
      tools: incidentTools(data ?? ownData, join(dirname(storeFile), 'tickets.jsonl')),
    }),
  offlineModel,
})
