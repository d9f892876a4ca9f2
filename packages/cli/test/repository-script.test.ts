import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'
import { untilExists } from './until-exists.ts'
import { workFolder } from './work-folder.ts'

const script = fileURLToPath(new URL('../../../scripts/fairlead.mjs', import.meta.url))

it.skipIf(process.platform === 'win32')(
  'Ctrl-C of a terminal stops a run in order through the repository script, once',
  async () => {
    const folder = workFolder()
    const { INIT_CWD: _outside, ...variables } = process.env
    const child = spawn(process.execPath, [script, 'run', 'wait for it', '--offline', '--json'], {
      cwd: folder.path,
      // A group of its own, as a terminal gives each command: the signal goes to all of it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...variables, XDG_CACHE_HOME: join(folder.path, 'cache') },
    })
    let out = ''
    let error = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await Promise.race([untilExists(join(folder.path, '.fairlead', 'waiting.txt')), ended])
    process.kill(-(child.pid ?? 0), 'SIGINT')
    expect({ code: await ended, error }).toMatchObject({ code: 1, error: expect.stringContaining('Stopping the run') })
    expect(error.match(/Stopping the run/g)).toHaveLength(1)
    expect(JSON.parse(out)).toMatchObject({ stopReason: 'aborted' })
  },
)

it.skipIf(process.platform === 'win32')('a fresh clone is installed once, without warnings on the way', () => {
  const clone = temporaryFolder()
  for (const folder of ['scripts', 'bin']) mkdirSync(join(clone, folder))
  copyFileSync(
    fileURLToPath(new URL('../../../scripts/ensure-installed.mjs', import.meta.url)),
    join(clone, 'scripts', 'ensure-installed.mjs'),
  )
  const npm = join(clone, 'bin', 'npm')
  const installs = 'mkdir -p node_modules && touch node_modules/.package-lock.json && echo "$@" >> asked.txt'
  writeFileSync(npm, `#!/bin/sh\n${installs}\n`)
  chmodSync(npm, 0o755)
  const code = "import('./scripts/ensure-installed.mjs').then(({ ensureInstalled }) => ensureInstalled())"
  const environment = { ...process.env, PATH: `${join(clone, 'bin')}:${process.env['PATH'] ?? ''}` }
  for (let time = 0; time < 2; time += 1) {
    const { status } = spawnSync(process.execPath, ['-e', code], { cwd: clone, env: environment })
    expect(status).toBe(0)
  }
  expect(readFileSync(join(clone, 'asked.txt'), 'utf8')).toBe(
    'ci --include=dev --no-audit --no-fund --loglevel=error\n',
  )
})
