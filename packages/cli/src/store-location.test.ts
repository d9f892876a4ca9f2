import { expect, it } from 'vitest'
import { textHost } from '../test/text-host.ts'
import { exitCode } from './exit.ts'
import { locateStore, openExistingStore } from './store-location.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

it('takes --store, else FAIRLEAD_STORE, else the usual place, as absolute paths', () => {
  const variables = { FAIRLEAD_STORE: 'from-variable.db' }
  const host = textHost({ workingDirectory: '/w', variables })
  expect(locateStore('x.db', host)).toEqual({ file: '/w/x.db', isNamed: true, isDefault: false })
  expect(locateStore(undefined, host)).toEqual({ file: '/w/from-variable.db', isNamed: false, isDefault: false })
  const usual = { file: '/w/.fairlead/fairlead.db', isNamed: false, isDefault: true }
  expect(locateStore(undefined, textHost({ workingDirectory: '/w' }))).toEqual(usual)
  expect(locateStore(undefined, textHost({ workingDirectory: '/w', variables: { FAIRLEAD_STORE: '' } }))).toEqual(usual)
})

it('does not make a store only to look into it, and refuses a named one that is missing', async () => {
  const here = temporaryFolder()
  const host = textHost({ workingDirectory: here })
  expect(await openExistingStore(locateStore(undefined, host))).toBeUndefined()
  await expect(openExistingStore(locateStore('gone.db', host))).rejects.toMatchObject({ exit: exitCode.usage })
})
