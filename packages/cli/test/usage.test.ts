import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { workFolder } from './work-folder.ts'
import { temporaryFolder } from './temporary-folder.ts'

describe('what was typed wrongly ends with exit code 2 and one line', () => {
  it.each([
    ['an unknown option', ['run', 'hello', '--colour'], "unknown option '--colour'"],
    ['an unknown command', ['rum'], "unknown command 'rum'"],
    ['too many words', ['run', 'two', 'words'], 'too many arguments'],
    ['no prompt', ['run'], 'There is no prompt'],
    ['an empty prompt', ['run', '  '], 'There is no prompt'],
    [
      '--offline with --model',
      ['run', 'x', '--offline', '--model', 'openai:x', '--example', 'incident-diagnosis'],
      'exclude each other',
    ],
    ['a bad model', ['run', 'x', '--model', 'gpt', '--example', 'incident-diagnosis'], '--model takes openai:NAME'],
    [
      'a model without its key',
      ['run', 'x', '--model', 'openai:gpt', '--example', 'incident-diagnosis'],
      'Set OPENAI_API_KEY',
    ],
    [
      'an unknown conversation',
      ['run', 'x', '--session', 'nope', '--example', 'incident-diagnosis'],
      'There is no conversation "nope"',
    ],
    ['no configuration', ['run', 'hello'], 'No fairlead.config.ts'],
    ['a missing configuration', ['run', 'hello', '--config', 'x.ts'], 'There is no configuration file'],
    ['an unknown example', ['run', 'hello', '--example', 'x'], 'There is no example "x"'],
    ['a bad principal', ['run', 'hello', '--principal', ':'], '--principal expects'],
    ['no environment', ['run', 'hello', '--environment', ''], '--environment expects'],
    ['a missing id', ['approvals', 'approve'], "missing required argument 'id'"],
    ['no reason to deny', ['approvals', 'deny', 'x'], "required option '--reason <text>' not specified"],
    ['an empty reason', ['approvals', 'deny', 'x', '--reason', ' '], '--reason expects'],
    ['a missing named store', ['trace', 'list', '--store', 'gone.db'], 'There is no store at'],
    ['an empty store', ['trace', 'list', '--store', ''], '--store expects a file'],
    ['a folder as store', ['trace', 'list', '--store', '.'], 'is a folder. --store expects a file'],
    ['evidence of another form', ['evidence', 'show', 'foo'], 'evidence://RUN/CALL'],
    ['a bad status', ['approvals', 'list', '--status', 'x'], 'Allowed choices are'],
    ['a bad limit', ['trace', 'list', '--limit', 'x'], 'whole number'],
    ['an empty data folder', ['run', 'x', '--data', '', '--example', 'incident-diagnosis'], '--data expects a folder'],
    ['arguments that are no JSON', ['tools', 'call', 'x', '--args', '{'], '--args expects JSON'],
    ['arguments that are no object', ['tools', 'call', 'x', '--args', '[]'], '--args expects a JSON object'],
  ])('%s', async (_name, words, message) => {
    const ended = await cliHere(temporaryFolder(), words)
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.error).toMatch(/^fairlead: [^\n]+\n$/)
    expect(ended.error).toContain(message)
  })

  it.each(['1e3', '0x10', '0', '-1', ' 5', '1.0', ''])('a limit of %j', async (limit) => {
    const ended = await cliHere(temporaryFolder(), ['trace', 'list', `--limit=${limit}`])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringContaining('whole number') })
  })

  it('a data folder that is not there', async () => {
    const ended = await cliHere(workFolder().path, ['run', 'hello', '--offline', '--data', 'gone'])
    expect(ended.code).toBe(2)
    expect(ended.error).toMatch(/^fairlead: There is no folder at [^\n]+\n$/)
  })
})

describe('a store that cannot be used ends with exit code 2 and one line', () => {
  it('a file that is no store', async () => {
    const here = temporaryFolder()
    writeFileSync(join(here, 'notes.txt'), 'Not a database, just some notes that somebody wrote down once. '.repeat(40))
    const ended = await cliHere(here, ['trace', 'list', '--store', 'notes.txt'])
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.error).toMatch(/^fairlead: [^\n]*notes\.txt[^\n]*\n$/)
  })

  it('a folder named by FAIRLEAD_STORE', async () => {
    const here = temporaryFolder()
    const ended = await cliHere(here, ['trace', 'list'], { variables: { FAIRLEAD_STORE: here } })
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.error).toMatch(/^fairlead: [^\n]+ is a folder. FAIRLEAD_STORE expects a file[^\n]+\n$/)
  })

  it('a place where nothing can be made', async () => {
    const { path } = workFolder()
    writeFileSync(join(path, 'file'), '')
    const ended = await cliHere(path, ['run', 'hello', '--offline', '--store', 'file/store.db'])
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.error).toContain('file')
  })
})

describe('a bad configuration ends with exit code 2 and one line', () => {
  it.each([
    ['it does not parse', 'fairlead.config.ts', 'export default {', 'Cannot load'],
    ['it throws', 'fairlead.config.ts', "throw new Error('no\\nluck')", 'Cannot load'],
    [
      'it imports what is not there',
      'fairlead.config.ts',
      "import 'not-installed-anywhere'",
      'Install it beside the configuration: npm install not-installed-anywhere\n',
    ],
    [
      'it imports a part of what is not there',
      'fairlead.config.mts',
      "import '@not-installed/anywhere/part'",
      'npm install @not-installed/anywhere\n',
    ],
    ['it exports something else', 'fairlead.config.js', 'export default 7', 'found a number'],
    [
      'its agent function throws',
      'fairlead.config.mts',
      "export default { agent: () => { throw new Error('x') } }",
      'failed: x',
    ],
    [
      'its agent function gives no agent',
      'fairlead.config.ts',
      'export default { agent: () => 7 }',
      'must give an Agent',
    ],
    ['it is JSON of another form', 'fairlead.config.json', '{"agent": 1}', 'a JSON configuration is'],
    ['it is broken JSON', 'fairlead.config.json', '{', 'Cannot read'],
    ['it names a missing module', 'fairlead.config.json', '{"module": "./gone.ts"}', 'there is no module at'],
  ])('%s', async (_name, file, source, message) => {
    const here = temporaryFolder()
    writeFileSync(join(here, file), source)
    const ended = await cliHere(here, ['run', 'hello'])
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.error).toMatch(/^fairlead: [^\n]+\n$/)
    expect(ended.error).toContain(message)
  })

  it('does not offer to install a file that is missing', async () => {
    const here = temporaryFolder()
    writeFileSync(join(here, 'fairlead.config.ts'), "import './gone.ts'")
    const ended = await cliHere(here, ['run', 'hello'])
    expect(ended).toMatchObject({ code: 2, error: expect.stringContaining('gone.ts') })
    expect(ended.error).not.toContain('npm install')
  })

  it('says how to get on when there is no model', async () => {
    const here = temporaryFolder()
    const agent = "new Agent({ name: 'a', instructions: '', tools: [] })"
    writeFileSync(
      join(here, 'fairlead.config.ts'),
      `import { Agent } from 'fairlead'\nexport default { agent: ${agent} }`,
    )
    expect(await cliHere(here, ['run', 'hello'])).toMatchObject({
      code: 2,
      error: expect.stringContaining('has no model'),
    })
    const offline = await cliHere(here, ['run', 'hello', '--offline'])
    expect(offline).toMatchObject({ code: 2, error: expect.stringContaining('has no "offlineModel"') })
  })

  it('shows a stack only when asked to', async () => {
    const ended = await cliHere(temporaryFolder(), ['run', 'hello'], { variables: { FAIRLEAD_DEBUG: '1' } })
    expect(ended.error).toContain('    at ')
  })
})

it('answers help and version on standard output with exit code 0', async () => {
  const help = await cliHere(temporaryFolder(), ['approvals', 'deny', '--help'])
  expect(help).toMatchObject({ code: 0, error: '' })
  for (const option of ['--reason', '--by', '--store', '--principal', '--json', '--no-color']) {
    expect(help.out).toContain(option)
  }
  expect(await cliHere(temporaryFolder(), ['--version'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
})

it('says in its help what --json gives on failure, and what --quiet leaves', async () => {
  const { out } = await cliHere(temporaryFolder(), ['--help'])
  const text = out.replaceAll(/\s+/g, ' ')
  expect(text).toContain('on failure standard output stays empty and the exit code tells')
  expect(text).toContain('only the answer and pending approvals')
})

it('lists nothing, and makes nothing, where no run was yet', async () => {
  const here = temporaryFolder()
  for (const list of [
    ['approvals', 'list'],
    ['trace', 'list'],
  ]) {
    const ended = await cliHere(here, [...list, '--json'])
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.out)).toEqual({ items: [] })
  }
  for (const show of [
    ['approvals', 'show', 'x'],
    ['approvals', 'approve', 'x'],
    ['trace', 'show', 'x'],
    ['resume', 'x'],
    ['evidence', 'show', 'evidence://x/y'],
  ]) {
    const ended = await cliHere(here, show)
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.error).toMatch(/^fairlead: There is no [^\n]+\n$/)
  }
})

it.each([
  ['while it is loaded', "throw new TypeError('rack 7 has no shelf')\nexport default {}"],
  ['while it makes its agent', "export default { agent: () => { throw new TypeError('rack 7 has no shelf') } }"],
])('FAIRLEAD_DEBUG=1 shows where a configuration threw %s', async (_name, text) => {
  const here = temporaryFolder()
  writeFileSync(join(here, 'fairlead.config.ts'), text)
  const plain = await cliHere(here, ['run', 'x'])
  expect(plain.error).toMatch(/^fairlead: [^\n]+rack 7 has no shelf[^\n]*\n$/)
  const { error } = await cliHere(here, ['run', 'x'], { variables: { FAIRLEAD_DEBUG: '1' } })
  expect(error).toMatch(/^Caused by: TypeError: rack 7 has no shelf\n +at [^\n]*fairlead\.config\.ts/m)
})

it.each([
  ['uses', true, ''],
  ['does not use', false, '--data was given, but this configuration does not use it.\n'],
])('notes it where --data is given to a configuration that %s it', async (_name, uses, note) => {
  const { path } = workFolder(uses ? 'desk' : 'stock')
  const ended = await cliHere(path, ['tools', 'list', '--data', '.'])
  expect(ended).toMatchObject({ code: 0, error: note })
})

it('reads the prompt from standard input with run -', async () => {
  const { path } = workFolder()
  const input = Readable.from([Buffer.from('pai'), Buffer.from('nt it\n')])
  const terminal = { input, output: new PassThrough() }
  const { out } = await cliHere(path, ['run', '-', '--offline', '--quiet'], { input: terminal })
  expect(out).toContain('red')
  const empty = { input: Readable.from([]), output: new PassThrough() }
  expect(await cliHere(path, ['run', '-', '--offline'], { input: empty })).toMatchObject({
    code: 2,
    error: expect.stringContaining('There is no prompt'),
  })
  const long = { input: Readable.from([Buffer.alloc(1_048_577, 'x')]), output: new PassThrough() }
  expect(await cliHere(path, ['run', '-', '--offline'], { input: long })).toMatchObject({
    code: 2,
    error: expect.stringContaining('longer than 1 MiB'),
  })
  expect(await cliHere(path, ['run', '-', '--offline'], { terminal: empty })).toMatchObject({
    code: 2,
    error: expect.stringContaining('that is a terminal'),
  })
})

it.each([
  [['trace', 'show'], 'fairlead trace list'],
  [['resume'], 'fairlead trace list'],
  [['approvals', 'approve'], 'fairlead approvals list'],
  [['tools', 'call'], 'fairlead tools list'],
])('says where an argument that was left out is found: %j', async (words, hint) => {
  const ended = await cliHere(temporaryFolder(), words)
  expect(ended).toMatchObject({ code: 2, out: '' })
  expect(ended.error).toMatch(/^fairlead: missing required argument [^\n]+\n$/)
  expect(ended.error).toContain(` See: ${hint}\n`)
})

it('has the global options in one place, and their names in a line elsewhere', async () => {
  const here = temporaryFolder()
  const { out } = await cliHere(here, ['approvals', 'deny', '--help'])
  expect(out.replaceAll(/\s+/g, ' ')).toContain(
    'Global options (see fairlead --help): --config, --store, --principal, --environment, --json, --quiet, --no-color',
  )
  expect(out).not.toContain('exactly one JSON document')
  expect(out).toMatch(/--reason <text> +why not; required/)
  expect((await cliHere(here, ['--help'])).out).not.toContain('see fairlead --help')
})
