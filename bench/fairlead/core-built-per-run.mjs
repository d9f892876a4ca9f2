import { Agent, memoryStore } from '@fairlead/runtime/core'
import { addTool, fairleadSubject } from './fairlead-subject.mjs'
import { scriptedClient } from './scripted-client.mjs'

/** The agent, its store and the model are made anew for every run; the tool is defined once. */
export default async (workload) => {
  const tools = [addTool(workload)]
  return fairleadSubject(
    'fairlead-per-run',
    (script) => new Agent({ model: scriptedClient(script, workload), tools, store: memoryStore() }),
  )
}
