import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Agent, defineConfig, textOf, tool, ToolError } from 'fairlead'
import type { ChatClient, ChatResponse, ContentPart, JsonObject, Message } from 'fairlead'

// Stands for your own systems. Replace the two `execute` functions and you have tools of your own.
const instances: { readonly [service: string]: { readonly running: number; readonly hanging: number } } = {
  checkout: { running: 3, hanging: 2 },
  search: { running: 4, hanging: 0 },
}

const serviceArgument = {
  type: 'object',
  properties: { service: { type: 'string', description: 'Name of the service, for example checkout.' } },
  required: ['service'],
  additionalProperties: false,
}

// The schema was checked before `execute` is called.
const serviceIn = (args: JsonObject): string => args['service'] as string

// Reads only, so it runs without asking anybody.
const getServiceStatus = tool({
  name: 'get_service_status',
  description: 'How many instances of one service run and how many of them hang.',
  inputSchema: serviceArgument,
  effects: 'read',
  errorCodes: ['UNKNOWN_SERVICE'],
  execute: (args) => {
    const name = serviceIn(args)
    const status = instances[name]
    if (status !== undefined) return { service: name, ...status }
    const known = Object.keys(instances).join(', ')
    throw new ToolError('UNKNOWN_SERVICE', `There is no service "${name}". Known services: ${known}.`)
  },
})

// Changes something, so it runs only after a person approved this very call.
const restartService = (logFile: string) =>
  tool({
    name: 'restart_service',
    description: 'Restarts the hanging instances of one service. Not for services without hanging instances.',
    inputSchema: serviceArgument,
    effects: 'destructive',
    needsApproval: true,
    impact: 'Requests to the restarted instances fail for some seconds.',
    reversible: 'no',
    execute: (args, { idempotencyKey }) => {
      const service = serviceIn(args)
      appendFileSync(logFile, `${JSON.stringify({ service, idempotencyKey })}\n`)
      return { service, restarted: true }
    },
  })

const call = (name: string, args: JsonObject): ContentPart => ({
  kind: 'function_call',
  callId: `offline_${name}`,
  name,
  arguments: JSON.stringify(args),
})

const resultOf = (messages: readonly Message[], name: string) =>
  messages.flatMap(({ parts }) => parts).find((part) => part.kind === 'function_result' && part.name === name)

/** A fixed script in the place of a model: it looks first, then proposes a restart. It keeps nothing between turns. */
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
    const service = Object.keys(instances).find((name) => prompt.includes(name)) ?? 'checkout'
    const status = resultOf(request.messages, 'get_service_status')
    if (status === undefined) return turn(`I look at ${service} first.`, call('get_service_status', { service }))
    if ((instances[service]?.hanging ?? 0) === 0) return turn(`${service} has no hanging instance; nothing to do.`)
    const restart = resultOf(request.messages, 'restart_service')
    if (restart === undefined) {
      return turn(`Some instances of ${service} hang. I propose a restart.`, call('restart_service', { service }))
    }
    const isDone = restart.kind === 'function_result' && restart.status === 'success'
    return turn(isDone ? `${service} was restarted.` : `${service} was not restarted: nobody agreed to it.`)
  },
}

export default defineConfig({
  agent: ({ storeFile }) =>
    new Agent({
      name: 'operations',
      instructions: 'You look after services. Look before you propose anything; say what you found in a sentence.',
      tools: [getServiceStatus, restartService(join(dirname(storeFile), 'restarts.jsonl'))],
    }),
  offlineModel,
})
