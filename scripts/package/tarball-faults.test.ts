import { expect, it } from 'vitest'
import { tarballFaults } from './tarball-faults.ts'

const manifest = {
  name: 'sample',
  version: '1.0.0',
  bin: { sample: './dist/bin.js' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
}

const sound: readonly (readonly [string, string])[] = [
  ['package.json', JSON.stringify(manifest)],
  ['README.md', '# Sample'],
  ['LICENSE', 'Apache'],
  ['dist/bin.js', '#!/usr/bin/env node\nimport "./index.js"\n'],
  ['dist/index.js', 'export {}\n//# sourceMappingURL=index.js.map'],
  ['dist/index.js.map', JSON.stringify({ version: 3, sources: ['../src/index.ts'] })],
  ['dist/index.d.ts', 'export {}\n'],
  ['src/index.ts', 'export {}\n'],
]

it('finds nothing wrong with a sound package', () => {
  expect(tarballFaults(new Map(sound))).toEqual([])
})

it.each([
  ['README.md', 'README.md is missing'],
  ['LICENSE', 'LICENSE is missing'],
  ['src/index.ts', 'dist/index.js.map refers to src/index.ts, which is not packed'],
  ['dist/index.js.map', 'dist/index.js refers to dist/index.js.map, which is not packed'],
  ['dist/index.d.ts', 'package.json refers to dist/index.d.ts, which is not packed'],
  ['dist/bin.js', 'package.json refers to dist/bin.js, which is not packed'],
])('misses %s', (path, fault) => {
  expect(tarballFaults(new Map(sound.filter(([name]) => name !== path)))).toEqual([fault])
})

it.each([
  'src/index.test.ts',
  'src/index.test-d.ts',
  'src/index.bench.ts',
  'dist/index.test.js',
  'dist/.tsbuildinfo',
  'test/fixtures/desk.config.ts',
  'src/worker-fixture.mjs',
  'node_modules/left-pad/index.js',
])('refuses %s', (path) => {
  expect(tarballFaults(new Map([...sound, [path, '']]))).toEqual([`${path} should not be packed`])
})

it('refuses a command that no shell could start', () => {
  const files = new Map([...sound, ['dist/bin.js', 'import "./index.js"\n'] as const])
  expect(tarballFaults(files)).toEqual(['dist/bin.js is a command without a first line that says so'])
})
