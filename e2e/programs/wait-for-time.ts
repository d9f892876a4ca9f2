// A process that has nothing to do but wait for Fairlead's own time limits: no server, no handle, no open file.
// Argument: what is waited for.
import {
  Agent,
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  ModelCallError,
  tool,
  type AgentOptions,
} from '@fairlead/runtime'
import { ScriptedChatClient } from '@fairlead/runtime/testing'

const forever = (): Promise<never> => new Promise(() => undefined)

function move(execute: () => unknown, timeoutMs: number) {
  return tool({
    name: 'move',
    description: 'Moves.',
    inputSchema: { type: 'object' },
    effects: 'read',
    timeoutMs,
    execute,
  })
}

const script = (): ScriptedChatClient => new ScriptedChatClient([{ calls: [{ name: 'move', arguments: {} }] }, 'done'])

const waits: { readonly [mode: string]: () => AgentOptions } = {
  retry: () => ({
    model: {
      model: 'down',
      generate: async () => {
        throw new ModelCallError('down', { retryable: true, retryAfterMs: 20 })
      },
    },
  }),
  tool: () => ({ model: script(), tools: [move(forever, 20)] }),
  guard: () => ({ model: script(), middleware: [chatMiddleware(forever, { guard: true, timeoutMs: 20 })] }),
  deadline: () => ({ model: { model: 'slow', generate: forever }, deadlineMs: 50 }),
  // Limits that are far away must not hold a process whose work is done.
  nothing: () => ({
    model: script(),
    tools: [move(() => 'moved', 600_000)],
    deadlineMs: 600_000,
    middleware: [chatMiddleware((_, next) => next(), { timeoutMs: 600_000 })],
  }),
}

/** Middleware that hangs, of every kind, in a run that is given up after 20 ms. */
const hangs: { readonly [mode: string]: () => AgentOptions } = {
  'hanging run': () => ({ model: script(), middleware: [agentMiddleware(forever, { timeoutMs: 600_000 })] }),
  'hanging turn': () => ({ model: script(), middleware: [chatMiddleware(forever, { timeoutMs: 600_000 })] }),
  'hanging call': () => ({
    model: script(),
    tools: [move(() => 'moved', 600_000)],
    middleware: [functionMiddleware(forever, { timeoutMs: 600_000, guard: true })],
  }),
  'hanging after the call': () => ({
    model: script(),
    tools: [move(() => 'moved', 600_000)],
    middleware: [functionMiddleware((_, next) => next().then(forever), { timeoutMs: 600_000 })],
  }),
}

async function main(): Promise<void> {
  const mode = process.argv[2] ?? ''
  const options = waits[mode] ?? hangs[mode]
  if (options === undefined) throw new Error('unknown mode')
  const agent = new Agent(options())
  const stop = new AbortController()
  if (mode in hangs) setTimeout(() => stop.abort(), 20)
  const result = await agent.run('go', { signal: stop.signal })
  const calls = await agent.store.journal.calls(result.runId)
  const codes = calls.map((call) => call.result?.errorCode ?? null)
  process.stdout.write(`${JSON.stringify({ kind: 'ended', stopReason: result.stopReason, codes })}\n`)
}

void main()
