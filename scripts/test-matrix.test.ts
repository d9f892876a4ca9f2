import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Titles may contain `;` inside themselves, so a cell is split only where the next title begins. */
const rows = readFileSync(join(root, 'docs/test-matrix.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\|\s*\d+\s*\|/.test(line))
  .map((line) => {
    const [, number = '', , proof = ''] = line.split('|').map((cell) => cell.trim())
    return { number: Number(number), proofs: proof.split(/; (?=MAF \d|docs\/decisions\/)/) }
  })

const tests = ['packages', 'examples', 'e2e', 'scripts']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('node_modules') && !path.includes('/dist/')),
  )
  .map((path) => readFileSync(path, 'utf8'))

describe('the test matrix', () => {
  it('has a row for each behaviour from 1 on without a gap, and there are tests to look into', () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: rows.length }, (_, index) => index + 1))
    expect(rows.length).toBeGreaterThanOrEqual(113)
    expect(tests.length).toBeGreaterThan(50)
  })

  it.each(rows)('row $number names tests or a decision that exist', ({ proofs }) => {
    expect(proofs.length).toBeGreaterThan(0)
    for (const proof of proofs) {
      if (/^R1-[45]$/.test(proof)) continue
      if (proof.startsWith('docs/decisions/'))
        expect({ proof, exists: existsSync(join(root, proof)) }).toEqual({ proof, exists: true })
      else expect({ proof, found: tests.some((text) => text.includes(`'${proof}'`)) }).toEqual({ proof, found: true })
    }
  })
})
