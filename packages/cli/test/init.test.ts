import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { templateNames } from '../src/project/project-template.ts'
import { packageNameFor } from '../src/project/project-files.ts'
import { packageVersion } from '../src/version.ts'
import { cliHere } from './cli-here.ts'
import { temporaryFolder } from './temporary-folder.ts'

type Written = {
  readonly directory: string
  readonly written: string[]
  readonly kept: string[]
  readonly next: string[]
}

const prompts = { minimal: 'checkout hangs, please help', incident: 'checkout is slow, what happened?' }
const effects = { minimal: 'restarts.jsonl', incident: 'tickets.jsonl' }

describe.each(templateNames)('init --template %s', (template) => {
  it('writes a project that shows a call and an approval at once, offline', async () => {
    const here = temporaryFolder()
    const ended = await cliHere(here, ['init', 'my agent', '--template', template, '--json'])
    expect(ended).toMatchObject({ code: 0, error: '' })
    const folder = join(here, 'my agent')
    const document = JSON.parse(ended.out) as Written
    expect(document).toMatchObject({ directory: folder, template, kept: [] })
    expect(document.next.slice(0, 3)).toEqual([
      "cd 'my agent'",
      'npm install',
      `npx fairlead run ${JSON.stringify(prompts[template])} --offline`,
    ])
    for (const path of document.written) expect(existsSync(join(folder, path))).toBe(true)
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      name: 'my-agent',
      private: true,
      type: 'module',
      dependencies: { fairlead: packageVersion() },
    })
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    for (const command of document.next.slice(2)) expect(readme).toContain(`    ${command}\n`)

    const run = await cliHere(folder, ['run', prompts[template], '--offline', '--json'])
    expect(run.code).toBe(0)
    expect(run.error).toContain('Succeeded')
    expect(run.error).toContain('not from a language model')
    const { stopReason, approvals } = JSON.parse(run.out) as {
      readonly stopReason: string
      readonly approvals: readonly { readonly id: string }[]
    }
    expect({ stopReason, count: approvals.length }).toEqual({ stopReason: 'approval_required', count: 1 })
    const effect = join(folder, '.fairlead', effects[template])
    expect(existsSync(effect)).toBe(false)
    const decided = await cliHere(folder, ['approvals', 'approve', approvals[0]?.id ?? 'none', '--by', 'ann', '--json'])
    expect(JSON.parse(decided.out)).toMatchObject({ stopReason: 'answered' })
    expect(readFileSync(effect, 'utf8').trimEnd().split('\n')).toHaveLength(1)
  })

  it('has a model that takes a refusal for an answer', async () => {
    const here = temporaryFolder()
    await cliHere(here, ['init', '--template', template])
    const run = await cliHere(here, ['run', prompts[template], '--offline', '--json'])
    const { approvals } = JSON.parse(run.out) as { readonly approvals: readonly { readonly id: string }[] }
    const id = approvals[0]?.id ?? 'none'
    const denied = await cliHere(here, ['approvals', 'deny', id, '--reason', 'not now', '--json'])
    expect(JSON.parse(denied.out)).toMatchObject({
      stopReason: 'answered',
      text: expect.stringMatching(/not restarted|No ticket/),
    })
    expect(existsSync(join(here, '.fairlead', effects[template]))).toBe(false)
  })
})

it('tells what it wrote and what to do next', async () => {
  const { code, out } = await cliHere(temporaryFolder(), ['init'])
  expect(code).toBe(0)
  for (const line of ['  fairlead.config.ts', '  .gitignore', '  npm install', '  npx fairlead approvals list']) {
    expect(out).toContain(`${line}\n`)
  }
  expect(out).not.toContain('cd ')
})

it('overwrites nothing: names what is in the way and writes nothing', async () => {
  const here = temporaryFolder()
  writeFileSync(join(here, 'README.md'), 'mine')
  writeFileSync(join(here, 'fairlead.config.mts'), 'mine')
  const ended = await cliHere(here, ['init'])
  expect(ended).toMatchObject({ code: 2, out: '' })
  expect(ended.error).toMatch(
    /^fairlead: [^\n]+ has README\.md, fairlead\.config\.mts already; nothing was written\. [^\n]+\n$/,
  )
  expect(readdirSync(here).toSorted()).toEqual(['README.md', 'fairlead.config.mts'])
})

it('keeps the package.json that npm init made, and says what it should hold', async () => {
  const here = temporaryFolder()
  writeFileSync(join(here, 'package.json'), '{}')
  const ended = await cliHere(here, ['init'])
  expect(ended.code).toBe(0)
  expect(ended.out).toContain(`package.json was there and is kept; it should depend on fairlead ${packageVersion()}`)
  expect(ended.out).not.toContain('npm install')
  expect(readFileSync(join(here, 'package.json'), 'utf8')).toBe('{}')
})

it.each([
  ['a file in place of the folder', 'file', 'Cannot write into'],
  ['a folder below a file', 'file/deep', 'Cannot write into'],
])('says in one line that it cannot write: %s', async (_name, directory, message) => {
  const here = temporaryFolder()
  writeFileSync(join(here, 'file'), '')
  const ended = await cliHere(here, ['init', directory])
  expect(ended).toMatchObject({ code: 2, out: '' })
  expect(ended.error).toMatch(/^fairlead: [^\n]+\n$/)
  expect(ended.error).toContain(message)
})

it('does not stop at a folder that holds something else', async () => {
  const here = temporaryFolder()
  mkdirSync(join(here, 'src'))
  expect(await cliHere(here, ['init'])).toMatchObject({ code: 0 })
})

it.each([
  ['My Agent!', 'my-agent'],
  ['fairlead', 'my-fairlead-agent'],
  ['..', 'my-fairlead-agent'],
  ['.hidden', 'hidden'],
  ['日本', 'my-fairlead-agent'],
])('makes a package name npm accepts of %s', (folder, name) => expect(packageNameFor(folder)).toBe(name))
