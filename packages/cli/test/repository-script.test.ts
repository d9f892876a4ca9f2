import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
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
