import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { virtualModules } from './virtual-modules.ts'

it('offers every door of the runtime that has a source, and the package itself', async () => {
  const runtime = new URL('../../../runtime/', import.meta.url)
  const { exports } = JSON.parse(readFileSync(new URL('package.json', runtime), 'utf8')) as {
    readonly exports: { readonly [door: string]: { readonly '@fairlead/source': string } }
  }
  const doors = Object.entries(exports)
    .filter(([, target]) => existsSync(new URL(target['@fairlead/source'], runtime)))
    .map(([door]) => `@fairlead/runtime${door.slice(1)}`)
  expect(doors.length).toBeGreaterThan(1)
  expect(Object.keys(await virtualModules()).toSorted()).toEqual(['fairlead', ...doors].toSorted())
})
