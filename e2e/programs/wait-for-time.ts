// A process that has nothing to do but wait for Fairlead's own time limits: no server, no handle, no open file.
// Argument: what is waited for.
import { Agent, ModelCallError, tool, chatMiddleware, type AgentOptions } from '@fairlead/runtime'
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

async function main(): Promise<void> {
  const options = waits[process.argv[2] ?? '']
  if (options === undefined) throw new Error('unknown mode')
  const agent = new Agent(options())
  const result = await agent.run('go')
  const calls = await agent.store.journal.calls(result.runId)
  const codes = calls.map((call) => call.result?.errorCode ?? null)
  process.stdout.write(`${JSON.stringify({ kind: 'ended', stopReason: result.stopReason, codes })}\n`)
}

void main()
