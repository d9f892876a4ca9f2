import '@fairlead/runtime/ambient'
import { inMemory } from './fairlead-subject.mjs'
import { scriptedClient } from './scripted-client.mjs'

export default async (workload) => inMemory('fairlead-ambient', (script) => scriptedClient(script, workload), workload)
