import { ToolError } from '@fairlead/runtime'

/**
 * The error for a file that breaks the form of a data folder. Its first line says which file, what was expected and
 * what was found; the second is advice for a model.
 */
export function badData(problem: {
  readonly file: string
  readonly expected: string
  readonly found: string
}): ToolError {
  const { file, expected, found } = problem
  return new ToolError(
    'BAD_DATA',
    `${file} cannot be read: expected ${expected}, found ${found}.\nGo on without this source and name it as a gap.`,
  )
}
