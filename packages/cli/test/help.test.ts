import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { programFor } from '../src/program.ts'
import { cliHere } from './cli-here.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { textHost } from './text-host.ts'

const program = programFor(textHost(), () => undefined)

function commandsOf(command: Command, words: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const own: readonly [string, readonly string[]] = [['fairlead', ...words].join(' '), words]
  return [own, ...command.commands.flatMap((child) => commandsOf(child, [...words, child.name()]))]
}

const all = commandsOf(program, [])

/** Splits a help's examples into words as a shell would, for the forms our examples use. */
function shellWords(line: string): readonly string[] {
  const typed = line.split(' > ', 1)[0] ?? ''
  return [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}

function examplesIn(help: string): readonly string[] {
  const section = help.split(/\nExamples?:\n/)[1] ?? ''
  return section
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

it('there are as many commands as the documentation names', () => expect(all.length).toBeGreaterThanOrEqual(20))

describe.each(all)('%s --help', (name, words) => {
  it('says what it does in a sentence, how it is typed, its options and an example', async () => {
    const { code, out, error } = await cliHere(temporaryFolder(), [...words, '--help'])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(new RegExp(`^Usage: ${name} [^\\n]*\\n`))
    expect(out).toMatch(/^Usage:[^\n]*(?:\n [^\n]*)*\n\n[A-Z][\s\S]*?\.\n\n/)
    expect(out).toContain('Options:')
    expect(out).toContain('--json')
    expect(examplesIn(out).length).toBeGreaterThan(0)
  })

  it('has examples that the command line understands', async () => {
    const { out } = await cliHere(temporaryFolder(), [...words, '--help'])
    for (const example of examplesIn(out)) {
      expect(`${example} `.startsWith(`${name} `)).toBe(true)
      // Runs nowhere: an example that is typed wrongly would be refused by the parser with its own words.
      const ended = await cliHere(temporaryFolder(), [...shellWords(example).slice(1), '--store', 'gone.db'])
      expect(ended.error).not.toMatch(/unknown (?:option|command)|too many arguments|missing required|Allowed choices/)
    }
  })
})
