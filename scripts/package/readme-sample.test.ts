import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../repository-root.ts'
import { publicPackages } from './public-packages.ts'
import { readmeSample } from './readme-sample.ts'

const packages = publicPackages(repositoryRoot)

/** What a sample may leave to its reader. */
const given = `import type { ChatClient, ToolList } from '@fairlead/runtime'
declare global {
  const model: ChatClient
  const tools: ToolList
}
`

it('takes the one TypeScript sample', () => {
  expect(readmeSample('# A\n```sh\nnpm i\n```\n```ts\nconst a = 1\n```\nEnd')).toBe('const a = 1\n')
  expect(() => readmeSample('# A')).toThrow('found 0')
  expect(() => readmeSample('```ts\na\n```\n```ts\nb\n```')).toThrow('found 2')
})

it("the sample in every package's README compiles", () => {
  mkdirSync(join(repositoryRoot, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(repositoryRoot, '.cache/readme-'))
  try {
    writeFileSync(join(folder, 'given.ts'), given)
    for (const { folderName, folder: home } of packages) {
      const sample = readmeSample(readFileSync(join(home, 'README.md'), 'utf8'))
      writeFileSync(join(folder, `${folderName}.ts`), sample)
    }
    const files = ['given.ts', ...packages.map(({ folderName }) => `${folderName}.ts`)]
    const settings = { extends: join(repositoryRoot, 'tsconfig.check.json'), files, include: [] }
    const noUnused = { noUnusedLocals: false }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, compilerOptions: noUnused }))
    const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(files.length).toBeGreaterThanOrEqual(4)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
