import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { workFolder } from './work-folder.ts'

const bin = fileURLToPath(new URL('../src/bin.ts', import.meta.url))

const program = 'script'

/** util-linux's `script` gives a process a terminal of its own; that of other systems takes other options. */
const hasScript = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

/** Runs the real command on a real pseudo-terminal; types the next keys once what they answer is on the screen. */
async function onTerminal(
  folder: string,
  words: readonly string[],
  keys: readonly (readonly [seen: readonly string[], keys: string])[],
): Promise<{
  readonly code: number | null
  readonly screen: string
  readonly colours: number
  readonly untyped: number
}> {
  const command = [
    process.execPath,
    '--conditions=@fairlead/source',
    '--import',
    import.meta.resolve('tsx'),
    bin,
    ...words,
  ]
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const { CI: _noBuildServer, NO_COLOR: _mayColour, ...variables } = process.env
  const child = spawn(program, ['--quiet', '--return', '--flush', '--command', quoted, '/dev/null'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...variables, TERM: 'xterm', XDG_CACHE_HOME: join(folder, 'cache') },
  })
  const waiting = [...keys]
  let screen = ''
  let unread = ''
  child.stdout.setEncoding('utf8').on('data', (drawn: string) => {
    screen += drawn
    unread += drawn
    const [next] = waiting
    const seen = stripVTControlCharacters(unread)
    if (next === undefined || !next[0].every((text) => seen.includes(text))) return
    waiting.shift()
    unread = ''
    child.stdin.write(next[1])
  })
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  const colours = screen.split('\u001b[').filter((drawn, index) => index > 0 && /^[0-9;]*m/.test(drawn)).length
  return { code, screen: stripVTControlCharacters(screen), colours, untyped: waiting.length }
}

const lastLine = 'Deny, with a reason (d or n)'

it.skipIf(!hasScript)(
  'on a real terminal keys decide, arguments are edited, and Ctrl-C leaves the rest pending with how to go on',
  async () => {
    const folder = workFolder('office')
    const prompt = 'post_notice one; post_notice two; post_notice three'
    const { code, screen, colours, untyped } = await onTerminal(
      folder.path,
      ['run', prompt],
      [
        [['text       one', lastLine], 'a'],
        [['text       two', lastLine], 'e'],
        [['Arguments as JSON.'], '\u0015{"text": "other"}\r'],
        [['text       three', lastLine], '\u0003'],
      ],
    )
    expect({ code, untyped, isColoured: colours > 0 }).toEqual({ code: 0, untyped: 0, isColoured: true })
    expect(screen.match(/\? post_notice version 1/g)).toHaveLength(3)
    expect(screen).toContain('One call waits for a decision:')
    expect(screen).toMatch(/ approvals approve approval_\w+/)
    const { out } = await cliHere(folder.path, ['approvals', 'list', '--status', 'all', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      items: [
        { status: 'approved', edited: null },
        { status: 'approved', edited: { text: 'other' } },
        { status: 'pending' },
      ],
    })
    expect(folder.tickets()).toEqual([])
  },
  60_000,
)

it.skipIf(!hasScript)(
  'without colours nothing is coloured, and every choice is there in words',
  async () => {
    const folder = workFolder('office')
    const { code, screen, colours, untyped } = await onTerminal(
      folder.path,
      ['run', 'post_notice one', '--no-color'],
      [[['text       one', lastLine], 's']],
    )
    expect({ code, untyped, colours }).toEqual({ code: 0, untyped: 0, colours: 0 })
    expect(screen).toContain('Skip for now (s)')
  },
  60_000,
)
