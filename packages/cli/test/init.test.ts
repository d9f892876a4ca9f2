import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
    expect(readme).toContain('    npm install\n')
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

it.each([
  ['fairlead.config.ts', 'minimal'],
  ['package.json', 'minimal'],
  ['data', 'incident'],
])('writes nothing where %s is a link that leads nowhere', async (name, template) => {
  const here = temporaryFolder()
  const elsewhere = join(temporaryFolder(), 'elsewhere')
  symlinkSync(elsewhere, join(here, name))
  const ended = await cliHere(here, ['init', '--template', template])
  expect(ended).toMatchObject({ code: 2, out: '' })
  expect(ended.error).toContain(`${here} has ${name} already; nothing was written.`)
  expect(readdirSync(here)).toEqual([name])
  expect(existsSync(elsewhere)).toBe(false)
})

it('takes no empty text for a folder, and names one that looks like an option so that it can be pasted', async () => {
  const here = temporaryFolder()
  const ended = await cliHere(here, ['init', ''])
  expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringContaining('found an empty text') })
  expect(readdirSync(here)).toEqual([])
  expect((await cliHere(here, ['init', '--', '--json'])).out).toContain('\n  cd ./--json\n')
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
  ['{"type": "module"}', `it should depend on fairlead ${packageVersion()}\n`],
  ['{"type": "module", "dependencies": {"fairlead": "file:../x.tgz"}}', 'it depends on fairlead already\n'],
  [
    '{"type": "commonjs", "devDependencies": {"fairlead": "1"}}',
    'it depends on fairlead already; it has no "type": "module": add that, or rename fairlead.config.ts to fairlead.config.mts\n',
  ],
])('says of a package.json that is kept what is left to do: %s', async (text, advice) => {
  const here = temporaryFolder()
  writeFileSync(join(here, 'package.json'), text)
  const { code, out } = await cliHere(here, ['init'])
  expect(code).toBe(0)
  expect(out).toContain(`  package.json was there and is kept; ${advice}`)
})

it.each(['{"name": ', '[]', '"text"'])('notices a broken package.json and writes nothing: %s', async (text) => {
  const here = temporaryFolder()
  writeFileSync(join(here, 'package.json'), text)
  const ended = await cliHere(here, ['init'])
  expect(ended).toMatchObject({ code: 2, out: '' })
  expect(ended.error).toMatch(/^fairlead: \S+package\.json cannot be used: [^\n]+ nothing was written\.\n$/)
  expect(readdirSync(here)).toEqual(['package.json'])
})

it('says how to install before and after publication, on the screen and in the README', async () => {
  const here = temporaryFolder()
  const { out } = await cliHere(here, ['init'])
  for (const text of [out, readFileSync(join(here, 'README.md'), 'utf8')]) {
    expect(text).toContain('once it is published there. Before that type, in its place, npm install DIR/fairlead*.tgz')
  }
})

describe.each(templateNames)('the project of --template %s', (template) => {
  it('type-checks as its own package.json and tsconfig.json say', async () => {
    const here = temporaryFolder()
    await cliHere(here, ['init', '--template', template])
    const root = fileURLToPath(new URL('../../../', import.meta.url))
    const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as {
      readonly scripts: unknown
      readonly devDependencies: { readonly [name: string]: string }
    }
    const ours = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as typeof manifest
    expect(manifest.scripts).toEqual({ check: 'tsc' })
    expect(Object.keys(manifest.devDependencies)).toEqual(['@types/node', 'typescript'])
    expect(ours.devDependencies).toMatchObject(manifest.devDependencies)
    // Against the sources, which are there without a build and want the one strict option a project may leave off.
    symlinkSync(join(root, 'node_modules'), join(here, 'node_modules'))
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const fromSources = ['--customConditions', '@fairlead/source', '--allowImportingTsExtensions']
    const words = [tsc, '-p', here, ...fromSources, '--exactOptionalPropertyTypes']
    const ended = spawnSync(process.execPath, words, { cwd: here, encoding: 'utf8' })
    expect(ended.stdout).toBe('')
    expect(ended.status).toBe(0)
  })
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
