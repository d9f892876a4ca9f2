import type { Json, JsonObject } from '@fairlead/runtime/core'
import { lineDiff } from './line-diff.ts'
import { visibleLine, visibleText } from './visible-text.ts'

/** A name and what stands beside it; an empty name goes on with the row above. */
export type Row = readonly [string, string]

/**
 * One argument, whole: what is cut off cannot be decided on. A list of texts takes a line for each; of many addresses
 * of evidence, which say nothing to a reader, the first two stand for all.
 */
function rowsOf(name: string, value: Json): readonly Row[] {
  const values: readonly Json[] = Array.isArray(value) && value.length > 0 ? value : [value]
  const texts = values.every((item) => typeof item === 'string') ? values : [JSON.stringify(value)]
  const many = texts.length > 3 && texts.every((text) => /^evidence:\/\/[\w/.-]+$/.test(text))
  const shown = many ? [...texts.slice(0, 2), `and ${texts.length - 2} more: the calls of this run`] : texts
  return shown.map((text, index): Row => [index === 0 ? `  ${visibleLine(name)}` : '', visibleLine(text)])
}

/** A call's arguments for a person who has to decide or answer it: every one, whole and harmless. */
export function argumentRows(args: JsonObject): readonly Row[] {
  const head: Row = ['arguments', Object.keys(args).length === 0 ? 'none' : '']
  return [head, ...Object.entries(args).flatMap(([name, value]) => rowsOf(name, value))]
}

/** The same arguments beside those that stood in their place before, line by line; `how` says which is which. */
export function changedArgumentRows(before: JsonObject, now: JsonObject, how: string): readonly Row[] {
  const text = (args: JsonObject): string => JSON.stringify(args, null, 2)
  const lines = lineDiff(text(before), text(now))
  return [['arguments', how], ...lines.map(({ mark, text: line }): Row => ['', `${mark} ${visibleText(line)}`])]
}
