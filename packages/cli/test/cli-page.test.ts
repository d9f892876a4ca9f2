import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { programFor } from '../src/program.ts'
import { cliHere } from './cli-here.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { textHost } from './text-host.ts'
import { workFolder } from './work-folder.ts'

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')

/** What the page says of each document, by the text of the first column. */
const rows = new Map(
  [...page.matchAll(/^\| (`[a-z][^|]*`) +\| (.+?) +\|$/gm)].map(([, name = '', keys = '']) => [name, keys] as const),
)

/** The keys the page documents, those it refers to with "as …, and …" included. */
function documented(name: string): readonly string[] {
  const text = rows.get(name)
  if (text === undefined) throw new Error(`docs/cli.md has no row ${name}`)
  const [, base, own = ''] = /^as (`[^,]+`)(?:, and (.*))?$/.exec(text) ?? [null, null, text]
  const keys = [...(own ?? '').matchAll(/`([A-Za-z]+)`/g)].map(([, key]) => key ?? '')
  return base === null || base === undefined ? keys : [...documented(base), ...keys]
}

type Document = { readonly [key: string]: unknown }

function keysAt(value: unknown, index: number | string): readonly string[] {
  return Object.keys((value as Document)[index] as object)
}

function leavesOf(command: Command, words: readonly string[]): readonly string[] {
  if (command.commands.length === 0) return [words.join(' ')]
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]))
}

it('has a row for every command', () => {
  const names = leavesOf(
    programFor(textHost(), () => undefined),
    [],
  )
  expect(names.length).toBeGreaterThan(12)
  expect(names.filter((name) => !rows.has(`\`${name}\``))).toEqual([])
})

it('names the keys that are printed', async () => {
  const folder = workFolder()
  const document = async (...words: readonly string[]): Promise<Document> => {
    const ended = await cliHere(folder.path, [...words, '--json'])
    expect(ended).toMatchObject({ code: 0 })
    return JSON.parse(ended.out) as Document
  }
  const run = await document('run', 'the lift', '--offline')
  const [approval] = run['approvals'] as readonly { readonly id: string }[]
  const runId = String(run['runId'])
  const seen = new Map<string, readonly string[]>()
  seen.set('`run`', Object.keys(run))
  seen.set('`run` `approvals[]`', keysAt(run['approvals'], 0))
  seen.set('`run` `usage`', keysAt(run, 'usage'))
  const list = await document('approvals', 'list')
  seen.set('`approvals list`', Object.keys(list))
  seen.set('`approvals list` `items[]`', keysAt(list['items'], 0))
  const shown = await document('approvals', 'show', approval?.id ?? 'none')
  seen.set('`approvals show`', Object.keys(shown))
  seen.set('`approvals show` `call`', keysAt(shown, 'call'))
  seen.set('`approvals deny`', Object.keys(await document('approvals', 'deny', approval?.id ?? '', '--reason', 'no')))
  const called = await document('tools', 'call', 'look_up', '--args', '{"title": "x"}')
  seen.set('`tools call`', Object.keys(called))
  seen.set('`tools call` `result`', keysAt(called, 'result'))
  const tools = await document('tools', 'list')
  seen.set('`tools list`', Object.keys(tools))
  seen.set('`tools list` `items[]`', keysAt(tools['items'], 0))
  const traces = await document('trace', 'list')
  seen.set('`trace list`', Object.keys(traces))
  seen.set('`trace list` `items[]`', keysAt(traces['items'], 0))
  const trace = await document('trace', 'show', runId)
  seen.set('`trace show`', Object.keys(trace))
  seen.set('`trace show` `run`', keysAt(trace, 'run'))
  seen.set('`trace show` `calls[]`', keysAt(trace['calls'], 0))
  const asked = (trace['calls'] as readonly Document[])[1]?.['approvals']
  seen.set('`trace show` `calls[]` `approvals[]`', keysAt(asked, 0))
  const { evidenceUri } = called['result'] as { readonly evidenceUri: string }
  seen.set('`evidence show`', Object.keys(await document('evidence', 'show', evidenceUri)))
  seen.set('`init`', Object.keys(await document('init', temporaryFolder())))
  seen.set('`completion`', Object.keys(await document('completion', 'bash')))
  expect(seen.size).toBe(21)
  for (const [name, keys] of seen) expect([name, ...documented(name)]).toEqual([name, ...keys])
})

it('names the keys of a call that waits for its result', async () => {
  const ended = await cliHere(workFolder('meter').path, ['run', 'hall', '--json'])
  const { clientCalls } = JSON.parse(ended.out) as { readonly clientCalls: readonly object[] }
  expect(documented('`run` `clientCalls[]`')).toEqual(Object.keys(clientCalls[0] ?? {}))
})

it('names the keys of calls and of standing rules', async () => {
  const folder = workFolder()
  const document = async (...words: readonly string[]): Promise<Document> =>
    JSON.parse((await cliHere(folder.path, [...words, '--json'])).out) as Document
  const { approvals } = await document('run', 'the lift', '--offline')
  const calls = await document('calls', 'list')
  expect(documented('`calls list` `items[]`')).toEqual(keysAt(calls['items'], 0))
  const [request] = approvals as readonly { readonly id: string }[]
  await document('approvals', 'approve', request?.id ?? 'none', '--remember', 'tool')
  const rules = await document('approvals', 'rules', 'list')
  expect(documented('`approvals rules list` `items[]`')).toEqual(keysAt(rules['items'], 0))
  const [rule] = rules['items'] as readonly { readonly id: string; readonly scope: object }[]
  expect(documented('`approvals rules list` `items[]` `scope`')).toEqual(Object.keys(rule?.scope ?? {}))
  const revoked = await document('approvals', 'rules', 'revoke', rule?.id ?? 'none')
  expect(documented('`approvals rules revoke`')).toEqual(Object.keys(revoked))
})
