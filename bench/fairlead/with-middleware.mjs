import { agentMiddleware, chatMiddleware, functionMiddleware } from '@fairlead/runtime/core'
import { inMemory } from './fairlead-subject.mjs'
import { scriptedClient } from './scripted-client.mjs'

/** One piece of each kind that only goes on. */
const middleware = [
  agentMiddleware(async (_, next) => {
    await next()
  }),
  chatMiddleware(async (_, next) => {
    await next()
  }),
  functionMiddleware(async (_, next) => {
    await next()
  }),
]

/** `core.mjs` with three pieces of middleware around it. */
export default async (workload) =>
  inMemory('fairlead-middleware', (script) => scriptedClient(script, workload), workload, { middleware })
