import { sqliteStore } from '../../src/index.ts'
import { print, toldToBegin } from './told-to-begin.ts'

const [file = '', name = ''] = process.argv.slice(2)
await toldToBegin()
const store = sqliteStore({ file })
await store.ready()
await store.journal.append([{ kind: 'session-created', sessionId: name, at: 1 }])
await store.close()
print('done')
