import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** The words a real interactive bash hands to the command after `typed` was typed there, Tab as \t. */
function wordsFromBash(script: string, folder: string, typed: string): readonly string[] {
  const file = join(temporaryFolder(), 'completion.bash')
  writeFileSync(file, `${script}\nfairlead() { printf '%s\\0' "$@" > words; }\nPS1=\n`)
  const { status } = spawnSync('bash', ['--noprofile', '--rcfile', file, '-i'], {
    cwd: folder,
    input: `fairlead ${typed}\nexit 0\n`,
    encoding: 'utf8',
    env: { ...process.env, INPUTRC: '/dev/null', HISTFILE: '' },
    timeout: 20_000,
  })
  expect(status).toBe(0)
  return spawnSync('cat', ['words'], { cwd: folder, encoding: 'utf8' }).stdout.split('\0').slice(0, -1)
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
    ['what to remember', ['fairlead', 'approvals', 'approve', 'x', '--remember', ''], ['tool', 'arguments']],
    ['commands of a group of a group', ['fairlead', 'approvals', 'rules', 're'], ['revoke']],
    ['options of such a command', ['fairlead', 'approvals', 'rules', 'list', '--al'], ['--all']],
    ['states of calls', ['fairlead', 'calls', 'list', '--state', 'Un'], ['Unknown']],
    ['findings', ['fairlead', 'calls', 'resolve', 'x', '--not'], ['--not-done']],
    ['nothing for arguments in JSON', ['fairlead', 'approvals', 'approve', 'x', '--args', ''], ['']],
    ['statuses after =', ['fairlead', 'approvals', 'list', '--status', '=', 'den'], ['denied']],
    ['a command after an option whose value is named like one', ['fairlead', '--store', 'run', 'tra'], ['trace']],
    ['no options of another command after such a value', ['fairlead', '--store', 'run', '--off'], ['']],
    ['nothing as the value of an option that may be anything', ['fairlead', 'run', '--model', ''], ['']],
    ['nothing for such a value that looks like an option', ['fairlead', 'run', '--session', '--'], ['']],
    ['a first argument once', ['fairlead', 'completion', 'bash', 'z'], ['']],
  ])('offers %s', async (_name, words, offered) => {
    expect(offeredByBash(await scriptFor('bash'), words)).toEqual(offered)
  })
})

describe.skipIf(process.platform === 'win32')('completion bash of names in the file system', () => {
  it.each([
    ['code', 'z$(touch${IFS}PWNED)', 'z'],
    ['backquotes', 'z`touch PWNED`', 'z'],
    ['spaces', 'a b  c', 'a'],
    ['a glob', 'z*', 'z'],
    ['a newline', 'nl\nfile', 'nl'],
    ['quotes', `it's "it"`, 'i'],
    ['a leading dash', '-n', './-'],
  ])('gives a name with %s as one literal word', async (_name, name, typed) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, name), '')
    writeFileSync(join(folder, 'other'), '')
    const words = wordsFromBash(await scriptFor('bash'), folder, `trace list --store ${typed}\t`)
    expect(words).toEqual(['trace', 'list', '--store', typed === './-' ? `./${name}` : name])
    expect(readdirSync(folder).toSorted()).toEqual(['other', name, 'words'].toSorted())
  })

  it('offers folders alone where a folder is meant, and files after =', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'my-file'), '')
    mkdirSync(join(folder, 'my folder'))
    const script = await scriptFor('bash')
    expect(wordsFromBash(script, folder, 'init my\t')).toEqual(['init', 'my folder/'])
    expect(wordsFromBash(script, folder, 'run x --data my\t')).toEqual(['run', 'x', '--data', 'my folder/'])
    expect(wordsFromBash(script, folder, 'trace list --store=my-\t')).toEqual(['trace', 'list', '--store=my-file'])
  })
})

it('completion zsh registers itself and knows the same words', async () => {
  const script = await scriptFor('zsh')
  expect(script).toMatch(/^#compdef fairlead\n/)
  for (const word of ['incident-diagnosis', '--offline', 'approvals rules revoke', '--not-done', 'compadd'])
    expect(script).toContain(word)
  // Names of files are zsh's own business, which quotes them; the script adds its own words only.
  expect(script).toContain('files) _files ;;')
  expect(script).toContain('folders) _files -/ ;;')
  expect(script.match(/compadd .*/g)).toEqual(['compadd -- ${=offered} ;;'])
  // Its tables are POSIX; only arrays are zsh's own.
  expect(script.match(/\bcase\b/g)).toHaveLength(script.match(/\besac\b/g)?.length ?? 0)
})

it('refuses another shell', async () => {
  const ended = await cliHere(temporaryFolder(), ['completion', 'fish'])
  expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringContaining('Allowed choices are bash, zsh') })
})
