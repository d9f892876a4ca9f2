import type { Json } from '@fairlead/runtime/core'
import type { Host } from '../host.ts'
import { type Colours, coloursFor } from './colours.ts'
import { escapeHiddenInJson, visibleLine } from './visible-text.ts'

/** Where each kind of text of a command goes. Callers pass text that is already safe to show. */
export type Output = {
  readonly json: boolean
  readonly quiet: boolean
  readonly colours: Colours
  /** The answer for a person, on standard output; nothing under `--json`. */
  result(text: string): void
  /** The answer for a program, on standard output; nothing without `--json`. Called at most once. */
  document(value: Json): void
  /** How far the work is: standard output for people, standard error under `--json`, nothing under `--quiet`. */
  progress(line: string): void
  /** Something worth knowing beside the answer, on standard error; nothing under `--quiet`. */
  note(line: string): void
  /** That there is nothing to look at: the answer for a person, and beside a document on standard error. */
  missing(line: string): void
  /** Why the answer is missing or not what was hoped for, as one line on standard error. */
  failure(line: string): void
}

/** The output of one command. */
export function outputFor(
  host: Host,
  options: { readonly json: boolean; readonly quiet: boolean; readonly color: boolean },
): Output {
  const { json, quiet } = options
  return {
    json,
    quiet,
    colours: coloursFor(host, options.color && !json),
    result: (text) => {
      if (!json) host.stdout.write(`${text}\n`)
    },
    document: (value) => {
      if (json) host.stdout.write(`${escapeHiddenInJson(JSON.stringify(value, null, 2))}\n`)
    },
    progress: (line) => {
      if (!quiet) (json ? host.stderr : host.stdout).write(`${line}\n`)
    },
    note: (line) => {
      if (!quiet) host.stderr.write(`${line}\n`)
    },
    missing: (line) => (json ? host.stderr : host.stdout).write(`${visibleLine(line)}\n`),
    failure: (line) => host.stderr.write(`fairlead: ${visibleLine(line)}\n`),
  }
}
