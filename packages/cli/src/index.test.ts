import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** The names a door exports, as its source lists them: types leave no trace at run time. */
function exportedNames(door: string): readonly string[] {
  const source = readFileSync(new URL(door, import.meta.url), 'utf8')
  return [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, names]) => (names ?? '').split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

it('opens onto everything the runtime offers, and defineConfig', () => {
  const runtime = exportedNames('../../runtime/src/index.ts')
  expect(runtime.length).toBeGreaterThan(20)
  const own = ['defineConfig', 'ConfigOptions', 'FairleadConfig']
  expect(exportedNames('./index.ts').toSorted()).toEqual([...runtime, ...own].toSorted())
})
