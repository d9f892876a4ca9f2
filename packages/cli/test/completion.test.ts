import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function scriptFor(shell: string): Promise<string> {
  const { code, out, error } = await cliHere(temporaryFolder(), ['completion', shell])
  expect({ code, error }).toEqual({ code: 0, error: '' })
  return out
}

/** What bash would offer after these words; the last one is being typed. */
function offeredByBash(script: string, words: readonly string[]): readonly string[] {
  const probe = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fairlead; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', probe, 'bash', ...words], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

describe.skipIf(process.platform === 'win32')('completion bash', () => {
  it.each([
    ['commands', ['fairlead', 'app'], ['approvals']],
    ['commands of a group', ['fairlead', 'approvals', 'de'], ['deny']],
    ['options of a command', ['fairlead', 'run', '--of'], ['--offline']],
    ['options after a prompt', ['fairlead', 'run', 'why?', '--sess'], ['--session']],
    ['options every command takes', ['fairlead', 'trace', 'show', 'x', '--js'], ['--json']],
    ['example names', ['fairlead', 'run', '--example', 'inc'], ['incident-diagnosis']],
    ['templates', ['fairlead', 'init', '--template', ''], ['minimal', 'incident']],
    ['shells', ['fairlead', 'completion', 'z'], ['zsh']],
    ['statuses', ['fairlead', 'approvals', 'list', '--status', 'den'], ['denied']],
  ])('offers %s', async (_name, words, offered) => {
    expect(offeredByBash(await scriptFor('bash'), words)).toEqual(offered)
  })
})

it('completion zsh registers itself and knows the same words', async () => {
  const script = await scriptFor('zsh')
  expect(script).toMatch(/^#compdef fairlead\n/)
  for (const word of ['incident-diagnosis', '--offline', 'approvals deny', 'compadd']) expect(script).toContain(word)
  // Its tables are POSIX; only arrays are zsh's own.
  expect(script.match(/\bcase\b/g)).toHaveLength(script.match(/\besac\b/g)?.length ?? 0)
})

it('refuses another shell', async () => {
  const ended = await cliHere(temporaryFolder(), ['completion', 'fish'])
  expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringContaining('Allowed choices are bash, zsh') })
})
