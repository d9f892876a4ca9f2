import type { RunRecord } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { readStartedWith } from '../started-with.ts'

/** Whether a program began the run, not this command: its record then says nothing of a configuration. */
export function isForeign(root: Pick<RunRecord, 'startedWith'> | undefined): boolean {
  return root !== undefined && readStartedWith(root.startedWith) === undefined
}

/** What a command line that goes on with a run needs beside its id: of a foreign run, which configuration. */
export function configWords(
  foreign: boolean | undefined,
  { config }: Pick<CommandContext, 'config'>,
): readonly string[] {
  return foreign === true ? ['--config', config ?? 'FILE'] : []
}
