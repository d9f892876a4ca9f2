import { Agent, memoryStore, tool } from '@fairlead/runtime/core'
import { z } from 'zod'

/** The measured tool, as a user would define it. */
export function addTool(workload, options = {}) {
  return tool({
    name: 'add',
    description: 'add',
    inputSchema: z.object({ a: z.number(), b: z.number(), note: z.string() }),
    execute: async (args) => workload.execute(args),
    ...options,
  })
}

/**
 * Fairlead as a subject. `agentFor` gives the agent of a script; `generate` waits for the run, `stream` iterates it,
 * `fold` streams the model as `stream` does, but only asks for the result.
 */
export function fairleadSubject(name, agentFor) {
  return {
    name,
    generate: async (script) => (await agentFor(script).run('go')).text,
    stream: async (script) => {
      let text = ''
      for await (const update of agentFor(script).stream('go')) {
        if (update.kind === 'text-delta') text += update.text
        else if (update.kind === 'part' && update.part.kind === 'text') text += update.part.text
      }
      return text
    },
    fold: async (script) => (await agentFor(script).stream('go').result).text,
  }
}

/** One agent for each script, built on first use: outside the measured runs, because every script is warmed up. */
export function builtOnce(modelFor, workload, options) {
  const tools = [addTool(workload)]
  const agents = new Map()
  return (script) => {
    const known = agents.get(script)
    if (known !== undefined) return known
    const made = new Agent({ model: modelFor(script), tools, ...options })
    agents.set(script, made)
    return made
  }
}

/** A built-once subject in memory, with a second self for the heap that keeps no ended run. */
export function inMemory(name, modelFor, workload, options = {}) {
  const agentsWith = (store) => fairleadSubject(name, builtOnce(modelFor, workload, { ...options, store }))
  return {
    ...agentsWith(memoryStore()),
    forHeap: agentsWith(memoryStore({ keepRuns: 0 })),
  }
}
