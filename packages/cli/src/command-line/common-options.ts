import type { Command } from 'commander'

/** Adds the options every command takes. They may stand anywhere on the line. */
export function addCommonOptions(program: Command): Command {
  return program
    .option('--config <file>', 'configuration file (default: fairlead.config.ts, .mts, .js or .json here)')
    .option('--store <file>', 'store file (default: FAIRLEAD_STORE, else .fairlead/fairlead.db here)')
    .option('--principal <id[:role,…]>', 'who the calls act for (default: the user of the operating system)')
    .option('--environment <name>', 'environment the calls run in (default: dev)')
    .option(
      '--json',
      'exactly one JSON document on standard output, everything else on standard error; on failure standard output stays empty and the exit code tells (a run that stopped badly is no failure of the command: its document says why)',
    )
    .option('--quiet', 'only the answer and pending approvals or calls: no progress, no notes, no hint where to look')
    .option('--no-color', 'no colours')
}
