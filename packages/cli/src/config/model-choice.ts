import { usageFailure } from '../exit.ts'

/** Which model a command line asks for. Nothing said: the agent's own, or what the run was started with. */
export type ModelChoice = { readonly offline?: boolean | undefined; readonly model?: string | undefined }

/** Gives the choice back; both at once is a usage failure. */
export function oneModel(choice: ModelChoice): ModelChoice {
  const { offline, model } = choice
  if (offline === true && model !== undefined) {
    throw usageFailure('--offline and --model exclude each other: leave one of them out.')
  }
  return { offline, model }
}
