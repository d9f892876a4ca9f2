import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../repository-root.ts'
import { manifestFaults } from './manifest-faults.ts'
import { publicPackages, type Manifest } from './public-packages.ts'

const packages = publicPackages(repositoryRoot)
const siblings = new Map(packages.map(({ manifest }) => [manifest.name, manifest.version]))

const sound: Manifest = {
  name: 'sound',
  version: '1.0.0',
  description: 'A package.',
  license: 'Apache-2.0',
  type: 'module',
  files: ['dist', 'src'],
  engines: { node: '>=20.19' },
  exports: {
    '.': { '@fairlead/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
  },
}

describe('the public packages', () => {
  it('are the runtime, the store and the command', () => {
    expect([...siblings.keys()]).toEqual(expect.arrayContaining(['@fairlead/runtime', '@fairlead/store', 'fairlead']))
  })

  it.each(packages)('$folderName has a sound manifest', ({ manifest }) => {
    expect(manifestFaults(manifest, siblings)).toEqual([])
  })

  it.each(packages)('$folderName carries the licence and a short README with its name', ({ folder, manifest }) => {
    const licence = readFileSync(join(repositoryRoot, 'LICENSE'), 'utf8')
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe(licence)
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    expect(readme).toContain(`npm install ${manifest.name}`)
    expect(readme.split('\n').length).toBeLessThan(60)
  })
})

describe('a manifest', () => {
  it.each<readonly [string, Partial<Manifest>, string]>([
    ['a range', { dependencies: { ajv: '^8.0.0' } }, 'ajv: expected an exact version, found ^8.0.0'],
    ['a range of an alias', { devDependencies: { a: 'npm:b@^1.0.0' } }, 'a: expected an exact version'],
    ['another version of a sibling', { dependencies: { kin: '0.0.9' } }, 'kin: expected 1.0.0, found 0.0.9'],
    ['no licence', { license: undefined }, 'expected "license"'],
    ['sources left out', { files: ['dist'] }, 'expected "dist" and "src" in files'],
    ['no door', { exports: {} }, 'expected at least one door'],
    ['a door without types', { exports: { '.': { '@fairlead/source': './src/a.ts' } } }, 'door .: expected types'],
  ])('with %s is refused', (_name, change, message) => {
    const faults = manifestFaults({ ...sound, ...change }, new Map([['kin', '1.0.0']]))
    expect(faults).toEqual([expect.stringContaining(message)])
  })

  it('is accepted with exact versions, aliases and siblings', () => {
    const dependencies = { kin: '1.0.0', ajv: '8.20.0', old: 'npm:@scope/new@4.0.1', next: '2.0.0-beta.1' }
    expect(manifestFaults({ ...sound, dependencies }, new Map([['kin', '1.0.0']]))).toEqual([])
  })
})
