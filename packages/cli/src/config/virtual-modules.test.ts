import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { virtualModules } from './virtual-modules.ts'

function doorsOf(name: string, folder: string): readonly string[] {
  const at = new URL(folder, import.meta.url)
  const { exports } = JSON.parse(readFileSync(new URL('package.json', at), 'utf8')) as {
    readonly exports: { readonly [door: string]: { readonly '@fairlead/source': string } }
  }
  return Object.entries(exports)
    .filter(([, target]) => existsSync(new URL(target['@fairlead/source'], at)))
    .map(([door]) => `${name}${door.slice(1)}`)
}

it('offers every door of the runtime and of the package itself that has a source', async () => {
  const doors = [...doorsOf('@fairlead/runtime', '../../../runtime/'), ...doorsOf('fairlead', '../../')]
  expect(doors.length).toBeGreaterThan(4)
  expect(Object.keys(await virtualModules()).toSorted()).toEqual(doors.toSorted())
})
