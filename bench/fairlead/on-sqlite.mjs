import { sqliteStore } from '@fairlead/store'
import { builtOnce, fairleadSubject } from './fairlead-subject.mjs'
import { scriptedClient } from './scripted-client.mjs'
import { temporaryFile } from '../temporary-file.mjs'

export default async (workload) => {
  const temporary = temporaryFile('runs.db')
  const store = sqliteStore({ file: temporary.file })
  await store.ready()
  const agentFor = builtOnce((script) => scriptedClient(script, workload), workload, { store })
  return {
    ...fairleadSubject('fairlead-sqlite', agentFor),
    close: async () => {
      await store.close()
      temporary.remove()
    },
  }
}
