import { FairleadError } from '@fairlead/runtime/core'
import { sqliteStore } from '../../src/index.ts'
import { print } from './told-to-begin.ts'

/** Opens a file that cannot be made and prints what the store says of it. */
const [file = ''] = process.argv.slice(2)
const store = sqliteStore({ file })
try {
  await store.ready()
  print('opened')
} catch (error) {
  if (!(error instanceof FairleadError)) throw error
  print(JSON.stringify({ code: error.code, message: error.message }))
}
await store.close()
