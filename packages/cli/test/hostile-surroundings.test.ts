import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { cliProcess } from './cli-process.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { untilExists } from './until-exists.ts'
import { workFolder } from './work-folder.ts'

const oddFiles: readonly (readonly [string, (file: string) => void])[] = [
  ['a pipe', (file) => void spawnSync('sh', ['-c', 'mkfifo "$0"', file])],
  ['a device', (file) => symlinkSync('/dev/zero', file)],
  ['a folder', (file) => mkdirSync(file)],
]

/** A configuration that runs `first` when it is loaded, and then is the one of the desk. */
function deskAfter(first: string): string {
  const folder = workFolder()
  renameSync(join(folder.path, 'fairlead.config.ts'), join(folder.path, 'desk.ts'))
  writeFileSync(join(folder.path, 'fairlead.config.ts'), `${first}\nexport { default } from './desk.ts'\n`)
  return folder.path
}

describe('what a configuration prints', () => {
  it('goes to standard error with its hidden characters visible, so that standard output holds one document', async () => {
    const path = deskAfter(`
      import { Console } from 'node:console'
      console.log('loading \\u001b[2J')
      console.table([{ a: 1 }])
      console.error('seen')
      process.stdout.write('raw \\u202e\\n')
      new Console(process.stdout).log('own console')`)
    const { code, out, error } = await cliProcess(path, ['run', 'the lift', '--offline', '--json']).ended
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ stopReason: 'approval_required' })
    for (const told of ['loading <U+001B>[2J\n', 'seen\n', 'raw <U+202E>\n', 'own console\n'])
      expect(error).toContain(told)
  })

  it('of its console is no part of the answer for a person either', async () => {
    const path = deskAfter(`console.log('noise \\u001b[2J')`)
    const { code, out, error } = await cliProcess(path, ['run', 'the lift', '--offline']).ended
    expect({ code, error }).toEqual({ code: 0, error: 'noise <U+001B>[2J\n' })
    expect(out).not.toContain('noise')
  })
})

it.each([
  ['process.exit(0)', 0],
  ['process.exit(7)', 7],
])('a configuration that calls %s does not look like success', async (call, found) => {
  const ended = await cliProcess(deskAfter(call), ['run', 'the lift', '--offline', '--json']).ended
  expect(ended).toEqual({
    code: 1,
    out: '',
    error: `fairlead: The configuration, or a tool, ended the process (process.exit(${found})) before the command was done.\n`,
  })
})

describe.skipIf(process.platform === 'win32')('what is no regular file', () => {
  it.each(oddFiles)('is refused as the module of a JSON configuration: %s', async (_name, put) => {
    const path = temporaryFolder()
    writeFileSync(join(path, 'fairlead.config.json'), '{"module": "./agent.ts"}')
    put(join(path, 'agent.ts'))
    const { code, out, error } = await cliHere(path, ['run', 'x', '--json'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toMatch(/^fairlead: \S+: "module" must name a file; \S+ is none\.\n$/)
  })

  it('is a gap of the worked case, and the process leaves', async () => {
    const path = temporaryFolder()
    const shipped = fileURLToPath(new URL('../../../examples/incident-diagnosis/data/order-service', import.meta.url))
    cpSync(shipped, join(path, 'data'), { recursive: true })
    mkdirSync(join(path, '.fairlead'))
    const places = ['data/pods.json', 'data/logs.jsonl', '.fairlead/tickets.jsonl']
    for (const [index, place] of places.entries()) {
      rmSync(join(path, place), { force: true })
      oddFiles[index]?.[1](join(path, place))
    }
    const words = ['run', 'Why is order-service slow?', '--example', 'incident-diagnosis', '--data', 'data', '--json']
    const ended = await cliProcess(path, words).ended
    expect(ended.code).toBe(0)
    const run = JSON.parse(ended.out) as {
      readonly report: { readonly gaps: readonly string[] }
      readonly approvals: readonly { readonly id: string }[]
    }
    expect(run.report.gaps).toEqual([
      expect.stringMatching(/^Pods: .* found a pipe\.$/),
      expect.stringMatching(/^Error logs: .* found a device\.$/),
    ])
    const [request] = run.approvals
    const approved = await cliProcess(path, ['approvals', 'approve', request?.id ?? 'none', '--json']).ended
    expect(approved.code).toBe(1)
    expect(approved.error).toMatch(/UNAVAILABLE: Nothing was written to tickets\.jsonl: .* found a folder/)
  }, 60_000)
})

describe('a store', () => {
  it.skipIf(process.platform === 'win32')('that is deleted while a run works is told at its end', async () => {
    const folder = workFolder()
    const { child, ended } = cliProcess(folder.path, ['run', 'wait for it', '--offline', '--json'])
    await Promise.race([untilExists(join(folder.path, '.fairlead', 'waiting.txt')), ended])
    rmSync(folder.store)
    child.kill('SIGINT')
    const { code, out, error } = await ended
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toMatch(/^fairlead: The store \S+ was deleted or moved while it was open\./m)
  })

  it('that is damaged is called damaged, and exits 2', async () => {
    const folder = workFolder()
    await cliHere(folder.path, ['run', 'the lift', '--offline'])
    const bytes = readFileSync(folder.store)
    bytes.fill(0xff, 4096)
    writeFileSync(folder.store, bytes)
    const ended = await cliHere(folder.path, ['trace', 'list'])
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.error).toMatch(
      /^fairlead: The store \S+ is damaged: [^\n]+ Restore it from a backup, or use another file\./,
    )
    expect(ended.error).not.toMatch(/free space|Nothing of it/)
  })
})
