import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { publicPackages } from '../package/public-packages.ts'
import { repositoryRoot } from '../repository-root.ts'
import { publishedDoors } from './published-doors.ts'

const sample = { folder: join('/', 'somewhere', 'kin'), folderName: 'kin' }

it('names a report for each door', () => {
  const exports = { '.': { types: './dist/index.d.ts' }, './deep/door': { types: './dist/deep/door/index.d.ts' } }
  const doors = publishedDoors({ ...sample, manifest: { name: '@any/kin', version: '1.0.0', exports } })
  expect(doors.map(({ reportName }) => reportName)).toEqual(['kin.api.md', 'kin-deep-door.api.md'])
  expect(doors[1]?.declarations).toBe(join('/', 'somewhere', 'kin', 'dist', 'deep', 'door', 'index.d.ts'))
})

it('refuses a door without types', () => {
  const manifest = { name: 'kin', version: '1.0.0', exports: { './bare': { default: './bare.js' } } }
  expect(() => publishedDoors({ ...sample, manifest })).toThrow('kin: the door ./bare has no types.')
})

it('api/ holds the report of every published door and no other', () => {
  const reports = publicPackages(repositoryRoot).flatMap(publishedDoors)
  expect(reports.length).toBeGreaterThanOrEqual(6)
  const kept = readdirSync(join(repositoryRoot, 'api')).filter((name) => name.endsWith('.api.md'))
  expect(kept.toSorted()).toEqual(reports.map(({ reportName }) => reportName).toSorted())
})
