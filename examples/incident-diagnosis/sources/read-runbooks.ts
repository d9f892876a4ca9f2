import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { showValue } from '../files/index.ts'
import { badData } from './bad-data.ts'
import { readOptionalFile } from './read-optional-file.ts'
import type { Source } from './source.ts'
import { isPlainLine } from './text-field.ts'

const mostRunbooks = 1000

/** One runbook: its first heading is the title (the file's name when it has none). */
export type Runbook = { readonly file: string; readonly title: string; readonly text: string }

/** Reads `runbooks/*.md`, ordered by file name. Throws `BAD_DATA`. */
export async function readRunbooks(directory: string): Promise<Source<Runbook>> {
  const names = await listMarkdown(join(directory, 'runbooks'))
  if (names === null) return { kind: 'missing' }
  if (names.length > mostRunbooks) {
    throw badData({ file: 'runbooks', expected: `at most ${mostRunbooks} runbooks`, found: String(names.length) })
  }
  const hidden = names.find((name) => !isPlainLine(name))
  if (hidden !== undefined) {
    throw badData({
      file: 'runbooks',
      expected: 'names of files on one line, without control or invisible characters',
      found: showValue(hidden),
    })
  }
  const items: Runbook[] = []
  for (const name of names) {
    const file = `runbooks/${name}`
    const text = await readOptionalFile(directory, file)
    if (text !== null) items.push({ file, title: titleOf(text) ?? name, text })
  }
  return { kind: 'present', items }
}

async function listMarkdown(folder: string): Promise<readonly string[] | null> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.md')).sort()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'a failure'
    if (code === 'ENOENT') return null
    throw badData({ file: 'runbooks', expected: 'a folder of Markdown files', found: code })
  }
}

function titleOf(text: string): string | null {
  return /^#{1,6}[ \t]+(.+?)[ \t#]*$/m.exec(text)?.[1] ?? null
}
