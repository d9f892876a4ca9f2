import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const example = fileURLToPath(new URL('..', import.meta.url))

async function sourceFiles(): Promise<readonly string[]> {
  const folders = ['tools', 'sources', 'planner', 'report']
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(example, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  )
  return [
    'fairlead.config.ts',
    ...files.flat().filter((name) => name.endsWith('.ts') && !name.includes('.test.') && !name.includes('/testing/')),
  ]
}

/** The names, ids and times of one folder of the shipped data, and the prefix of every log line. */
async function shippedValues(folder: string): Promise<readonly string[]> {
  const values: string[] = []
  for (const name of ['alerts.json', 'deployments.json', 'pods.json']) {
    collectStrings(JSON.parse(await readFile(join(folder, name), 'utf8')), values)
  }
  const metrics = await readFile(join(folder, 'metrics.om'), 'utf8')
  for (const [, value] of metrics.matchAll(/\b(?:service|upstream|pod)="([^"]+)"/g)) values.push(value ?? '')
  const logs = (await readFile(join(folder, 'logs.jsonl'), 'utf8')).split('\n').filter((line) => line !== '')
  for (const line of logs) {
    const parsed: unknown = JSON.parse(line)
    if (typeof parsed === 'object' && parsed !== null && 'line' in parsed) values.push(String(parsed.line).slice(0, 20))
  }
  // Plain words of the data's form itself, such as a pod's phase or a severity, are no values of this incident.
  return [...new Set(values)].filter((value) => value.length > 5 && !/^[a-z]+$/i.test(value))
}

function collectStrings(value: unknown, into: string[]): void {
  if (typeof value === 'string') into.push(value)
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) collectStrings(each, into)
}

it('names no value of the shipped data in its sources', async () => {
  const files = await sourceFiles()
  const folders = await readdir(join(example, 'data'))
  expect(folders.length).toBe(4)
  const perFolder = await Promise.all(folders.map((name) => shippedValues(join(example, 'data', name))))
  for (const values of perFolder) expect(values.length).toBeGreaterThan(12)
  const values = perFolder.flat()
  expect(files.length).toBeGreaterThan(40)
  const found: string[] = []
  for (const file of files) {
    const text = await readFile(join(example, file), 'utf8')
    for (const value of values) if (text.includes(value)) found.push(`${file}: ${value}`)
  }
  expect(found).toEqual([])
})
