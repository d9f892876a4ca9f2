import type { Manifest } from './public-packages.ts'

const exactVersion = /^(?:npm:(?:@[^@]+|[^@]+)@)?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/

/**
 * What is wrong with a public manifest, one sentence each: versions that are not exact, siblings of another version,
 * missing fields, and doors without types. `siblings` holds the versions of all public packages by name.
 */
export function manifestFaults(manifest: Manifest, siblings: ReadonlyMap<string, string>): readonly string[] {
  return [...fieldFaults(manifest), ...dependencyFaults(manifest, siblings), ...doorFaults(manifest)]
}

function fieldFaults(manifest: Manifest): readonly string[] {
  const expected: readonly (readonly [string, boolean])[] = [
    ['a description', manifest.description !== undefined && manifest.description !== ''],
    ['"license": "Apache-2.0"', manifest.license === 'Apache-2.0'],
    ['"type": "module"', manifest.type === 'module'],
    ['"engines": {"node": ">=20.19"}', manifest.engines?.['node'] === '>=20.19'],
    ['"dist" and "src" in files', ['dist', 'src'].every((name) => manifest.files?.includes(name) === true)],
  ]
  return expected.filter(([, holds]) => !holds).map(([field]) => `expected ${field}`)
}

function dependencyFaults(manifest: Manifest, siblings: ReadonlyMap<string, string>): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = manifest
  return [...Object.entries(dependencies), ...Object.entries(devDependencies)].flatMap(([name, version]) => {
    const sibling = siblings.get(name)
    if (sibling !== undefined && sibling !== version) return [`${name}: expected ${sibling}, found ${version}`]
    return exactVersion.test(version) ? [] : [`${name}: expected an exact version, found ${version}`]
  })
}

function doorFaults(manifest: Manifest): readonly string[] {
  const doors = Object.entries(manifest.exports ?? {})
  if (doors.length === 0) return ['expected at least one door in exports']
  return doors.flatMap(([door, conditions]) => {
    const { '@fairlead/source': source, types, default: code } = conditions
    const stem = /^\.\/src\/(.+)\.ts$/.exec(source ?? '')?.[1]
    if (stem === undefined) return [`door ${door}: expected "@fairlead/source" to name a file of src`]
    return types === `./dist/${stem}.d.ts` && code === `./dist/${stem}.js`
      ? []
      : [`door ${door}: expected types and default to name dist/${stem}`]
  })
}
