import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../repository-root.ts'
import { publicPackages, readManifest } from './public-packages.ts'

const examples = readdirSync(join(repositoryRoot, 'examples'))

it.each(examples)('the command brings what the packed example %s is written with', (name) => {
  const file = join(repositoryRoot, 'examples', name, 'package.json')
  const { dependencies = {} } = readManifest(readFileSync(file, 'utf8'))
  const command = publicPackages(repositoryRoot).find(({ manifest }) => manifest.name === 'fairlead')
  const { fairlead: itself, ...needed } = dependencies
  expect(itself).toBe(command?.manifest.version)
  expect(Object.keys(needed).length).toBeGreaterThan(0)
  expect(command?.manifest.dependencies).toMatchObject(needed)
})
