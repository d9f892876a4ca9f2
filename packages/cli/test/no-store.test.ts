import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { workFolder } from './work-folder.ts'

it.each([[['approvals', 'list']], [['trace', 'list']]])('%j where there is no store is no all-clear', async (words) => {
  const { path, store } = workFolder()
  const told = `There is no store at ${store}: no run was kept there.`
  expect(await cliHere(path, words)).toEqual({ code: 0, out: `${told}\n`, error: '' })
  const document = await cliHere(path, [...words, '--json'])
  expect({ ...document, out: JSON.parse(document.out) as unknown }).toEqual({
    code: 0,
    out: { items: [] },
    error: `${told}\n`,
  })
  const elsewhere = join(path, 'gone.db')
  const named = await cliHere(path, words, { variables: { FAIRLEAD_STORE: elsewhere } })
  expect(named.out).toContain(`There is no store at ${elsewhere}`)
  expect(existsSync(store)).toBe(false)
})

it.each([
  [['approvals', 'show', 'approval_1'], 'approval request approval_1'],
  [['approvals', 'approve', 'approval_1'], 'approval request approval_1'],
  [['trace', 'show', 'run_1'], 'run run_1'],
  [['resume', 'run_1'], 'run run_1'],
  [['evidence', 'show', 'evidence://run_1/call_1'], 'evidence at evidence://run_1/call_1'],
  [['calls', 'answer', 'call_a_1_0', '--result', '1'], 'call call_a_1_0'],
])('%j says that there is no store, not only no such id', async (words, what) => {
  const { path, store } = workFolder()
  const ended = await cliHere(path, words)
  expect(ended).toEqual({
    code: 1,
    out: '',
    error: `fairlead: There is no ${what}: there is no store at ${store}.\n`,
  })
})
