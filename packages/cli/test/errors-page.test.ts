import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorSentences } from '@fairlead/runtime/core'
import { describe, expect, it } from 'vitest'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}

const page = read('docs/errors.md')

/** The codes in the first column of a section's table. */
function codesUnder(title: string): readonly string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(title)) ?? ''
  return [...section.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code ?? '').toSorted()
}

function thrownCodes(): readonly string[] {
  const union = /FairleadErrorCode =\n((?: +\| '[A-Z_]+'\n)+)/.exec(read('packages/runtime/src/core/fairlead-error.ts'))
  return [...(union?.[1] ?? '').matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code ?? '').toSorted()
}

/** Every code the worked case and the templates write as a literal; names of environment variables are none. */
function exampleCodes(): readonly string[] {
  const files = ['examples/incident-diagnosis', 'packages/cli/src/templates'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/(?:^|\/)(?:node_modules|testing|generate)\/|\.test\.ts$/.test(path))
      .map((path) => join(folder, path)),
  )
  expect(files.length).toBeGreaterThan(50)
  const known = new Set([...Object.keys(errorSentences), ...thrownCodes()])
  const found = files.flatMap((path) =>
    [...read(path).matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map(([, code]) => code ?? ''),
  )
  return [...new Set(found)]
    .filter((code) => !known.has(code) && !/_URL$|_API_KEY$|^FAIRLEAD_|^ERR_/.test(code))
    .toSorted()
}

describe('docs/errors.md names every code and no other', () => {
  it('that is thrown', () => {
    expect(thrownCodes().length).toBeGreaterThan(10)
    expect(codesUnder('Thrown')).toEqual(thrownCodes())
  })

  it('of the core of results', () => {
    expect(codesUnder('Results')).toEqual(Object.keys(errorSentences).toSorted())
  })

  it('of the worked case and the templates', () => {
    expect(codesUnder('The worked case')).toEqual(exampleCodes())
  })

  it('with its meaning and what to do', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    expect(rows.length).toBeGreaterThan(40)
    for (const row of rows) expect(row).toMatch(/^\| `[A-Z_]+` +\| [^|]{10,} \| [^|]{4,} \|$/)
  })
})
