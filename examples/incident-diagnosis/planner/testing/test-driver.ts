import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ToolError,
  type ContentPart,
  type InvocationContext,
  type Json,
  type Message,
  type Tool,
} from '@fairlead/runtime'
import { findReport, type IncidentReport } from '../../report/index.ts'
import { startLabOnce } from '../../sources/index.ts'
import { incidentTools } from '../../tools/index.ts'
import { offlinePlanner } from '../offline-planner.ts'

/** Only tests use this: one diagnosis, driven without the runtime's pipeline. */
export type Driven = {
  readonly messages: readonly Message[]
  readonly turns: readonly (readonly ContentPart[])[]
  readonly text: string
  readonly report: IncidentReport | null
  /** The full results by evidence URI, as they would be recorded. */
  readonly evidence: ReadonlyMap<string, Json>
  readonly calls: readonly { readonly tool: string; readonly arguments: Json; readonly callId: string }[]
}

export type DriveOptions = {
  readonly dataDirectory: string
  readonly prompt: string
  /** What a person says to the ticket; `stop` ends at the proposal. */
  readonly ticket?: 'stop' | 'approve' | 'deny' | 'expire'
  /** Puts something around every tool, such as a fault. */
  readonly wrapTool?: (tool: Tool) => Tool
  readonly withoutTools?: readonly string[]
  readonly failing?: readonly string[]
  readonly toolChoice?: 'auto' | 'none'
}

const mostTurns = 12

/** A context as the pipeline hands it to a tool, enough for the tools of this example. */
export function testContext(
  overrides: { readonly idempotencyKey?: string; readonly signal?: AbortSignal } = {},
): InvocationContext {
  return {
    idempotencyKey: overrides.idempotencyKey ?? 'run-1/call-1',
    signal: overrides.signal ?? new AbortController().signal,
    principal: { id: 'tester' },
    // The tools read nothing else of it.
  } as unknown as InvocationContext
}

/** Runs a tool's code with arguments that went through its schema. */
export async function runTool(tool: Tool, args: unknown, context: InvocationContext = testContext()): Promise<unknown> {
  // A checked argument is JSON by the time it reaches here.
  const verdict = await tool.input.check(structuredClone(args) as Json)
  if (verdict.kind === 'invalid') throw new ToolError('INVALID_ARGUMENT', JSON.stringify(verdict.issues))
  // The list of tools hides each tool's argument type; the schema has just checked it.
  return await tool.execute?.(verdict.value as never, context as never)
}

/** Drives the planner against the tools and a lab of the folder until it says something without a call. */
export async function drive(options: DriveOptions): Promise<Driven> {
  const lab = startLabOnce(options.dataDirectory)
  const tools = incidentTools({
    dataDirectory: options.dataDirectory,
    ticketsFile: join(await mkdtemp(join(tmpdir(), 'tickets-')), 'tickets.jsonl'),
    prometheusUrl: async () => (await lab()).prometheusUrl,
    lokiUrl: async () => (await lab()).lokiUrl,
  })
    .filter(({ contract }) => options.withoutTools?.includes(contract.name) !== true)
    .map((tool) => options.wrapTool?.(tool) ?? tool)
  try {
    return await converse(options, tools)
  } finally {
    await lab().then(
      (started) => started.close(),
      () => undefined,
    )
  }
}

async function converse(options: DriveOptions, tools: readonly Tool[]): Promise<Driven> {
  const planner = offlinePlanner()
  const messages: Message[] = [{ role: 'user', parts: [{ kind: 'text', text: options.prompt }] }]
  const turns: (readonly ContentPart[])[] = []
  const evidence = new Map<string, Json>()
  const calls: { tool: string; arguments: Json; callId: string }[] = []
  for (;;) {
    if (turns.length > mostTurns) throw new Error('the planner does not come to an end')
    const { parts } = await planner.generate({
      instructions: undefined,
      messages,
      tools: tools.map(({ contract }) => ({
        name: contract.name,
        description: contract.description,
        inputSchema: contract.inputSchema,
        strict: true,
      })),
      toolChoice: options.toolChoice ?? 'auto',
      signal: new AbortController().signal,
    })
    turns.push(parts)
    messages.push({ role: 'assistant', parts })
    const proposed = parts.filter((part) => part.kind === 'function_call')
    for (const { name, callId, arguments: text } of proposed) {
      calls.push({ tool: name, callId, arguments: JSON.parse(text) as Json })
    }
    if (proposed.length === 0 || (options.ticket === 'stop' && proposed.some(({ callId }) => callId === 'ticket')))
      break
    const results = await Promise.all(proposed.map((call) => answer(call, { options, tools, evidence })))
    messages.push({ role: 'tool', parts: results })
  }
  const text = (turns.at(-1) ?? []).flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
  return { messages, turns, text, report: findReport(messages), evidence, calls }
}

type Call = Extract<ContentPart, { readonly kind: 'function_call' }>
type Result = Extract<ContentPart, { readonly kind: 'function_result' }>

async function answer(
  call: Call,
  world: { readonly options: DriveOptions; readonly tools: readonly Tool[]; readonly evidence: Map<string, Json> },
): Promise<Result> {
  const evidenceUri = `evidence://run/${call.callId}`
  const base = { kind: 'function_result', callId: call.callId, name: call.name, call: null } as const
  const failure = (code: string, words: string): Result => ({
    ...base,
    status: 'error',
    errorCode: code,
    content: [{ kind: 'text', text: `${code}: ${words}\nA sentence of the runtime.` }],
  })
  if (call.name === 'create_incident_ticket' && world.options.ticket === 'deny')
    return failure('APPROVAL_DENIED', 'Reason given: not today')
  if (call.name === 'create_incident_ticket' && world.options.ticket === 'expire')
    return failure('APPROVAL_EXPIRED', '')
  if (world.options.failing?.includes(call.callId) === true) return failure('UNAVAILABLE', 'out of order')
  const tool = world.tools.find(({ contract }) => contract.name === call.name)
  if (tool === undefined) return failure('UNKNOWN_TOOL', '')
  try {
    const envelope = (await runTool(tool, JSON.parse(call.arguments))) as { readonly data: Json }
    const data = JSON.parse(JSON.stringify(envelope.data)) as Json
    world.evidence.set(evidenceUri, data)
    if (JSON.stringify(data).length > 60_000) throw new Error(`${call.callId} is too large for a model`)
    return { ...base, status: 'success', content: [{ kind: 'data', data }], evidenceUri }
  } catch (error) {
    if (error instanceof ToolError) return failure(error.code, error.message)
    throw error
  }
}
