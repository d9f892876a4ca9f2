import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
// Begins when it is loaded, so it is loaded only as a process; this has it compiled.
import type {} from '../../../docs/guides/snippets/survive.ts'
import { temporaryFolder } from './temporary-folder.ts'

it('what happens when the process dies: killed after the mail, in doubt, settled; each thing happened once', () => {
  const here = temporaryFolder()
  const snippet = fileURLToPath(new URL('../../../docs/guides/snippets/survive.ts', import.meta.url))
  const survive = (what: string, environment: NodeJS.ProcessEnv = {}) => {
    const flags = ['--conditions=@fairlead/source', '--import', import.meta.resolve('tsx')]
    const env = { ...process.env, ...environment }
    const { signal, stdout, stderr } = spawnSync(process.execPath, [...flags, snippet, what], {
      cwd: here,
      encoding: 'utf8',
      env,
    })
    expect(stderr).toBe('')
    return { signal, stdout }
  }
  expect(survive('start', { DIE: '1' })).toEqual({ signal: 'SIGKILL', stdout: '' })
  const asked = "in_doubt \nin doubt: mail_invoice { invoice: '7' }\n"
  expect(survive('resume')).toEqual({ signal: null, stdout: asked })
  expect(survive('done')).toEqual({ signal: null, stdout: 'mail_invoice resolved\nanswered Invoice 7 is out.\n' })
  const happened = readFileSync(join(here, 'world.txt'), 'utf8').trim().split('\n')
  expect(happened.map((line) => line.split(' ')[0]).toSorted()).toEqual(['booked', 'charged', 'mailed'])
}, 60_000)
