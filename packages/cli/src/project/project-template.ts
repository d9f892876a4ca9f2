import { readFileSync } from 'node:fs'

/** The names `--template` takes; the first is the default. */
export const templateNames: readonly TemplateName[] = ['minimal', 'incident']

export type TemplateName = 'minimal' | 'incident'

/** One file of a new project. `isShared` marks one that a folder may have already for reasons of its own. */
export type ProjectFile = { readonly path: string; readonly text: string; readonly isShared: boolean }

/** A kind of project: what it is in a sentence, a prompt that shows it, and the files that are copied as they are. */
export type ProjectTemplate = {
  readonly name: TemplateName
  readonly summary: string
  readonly prompt: string
  readonly files: readonly ProjectFile[]
}

const described: {
  readonly [Name in TemplateName]: { readonly summary: string; readonly prompt: string; readonly paths: string[] }
} = {
  minimal: {
    summary: 'An agent with one tool that reads and one that waits for your approval.',
    prompt: 'checkout hangs, please help',
    paths: ['fairlead.config.ts'],
  },
  incident: {
    summary: 'An agent that reads deployments and logs from data/ and proposes a ticket that waits for your approval.',
    prompt: 'checkout is slow, what happened?',
    paths: ['fairlead.config.ts', 'data/deployments.json', 'data/logs.jsonl'],
  },
}

/** Reads a template. Its files are packed with the sources of this package, compiled or not. */
export function projectTemplate(name: TemplateName): ProjectTemplate {
  const { summary, prompt, paths } = described[name]
  const files = paths.map((path) => ({
    path,
    text: readFileSync(new URL(`../../src/templates/${name}/${path}`, import.meta.url), 'utf8'),
    isShared: false,
  }))
  return { name, summary, prompt, files }
}
