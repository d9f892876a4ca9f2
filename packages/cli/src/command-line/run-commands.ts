import type { Command } from 'commander'
import type { ModelChoice } from '../config/model-choice.ts'
import { dataOption, exampleOption, modelOption, offlineOption, otherModelOptions } from './config-options.ts'
import type { Registrar } from './registrar.ts'
import { withExamples } from './with-examples.ts'

type RunOptions = {
  readonly example?: string
  readonly data?: string
  readonly offline?: boolean
  readonly model?: string
  readonly session?: string
}

const configHelp = `
The configuration is a module whose default export is defineConfig({ agent, offlineModel?, report? }),
with defineConfig from 'fairlead'. A JSON configuration names such a module: {"module": "./agent.ts"}.

Exit codes: 0 done, or waiting for an approval or a result; 1 the model failed, the run was aborted, or a call is in
doubt (see fairlead calls resolve --help); 2 usage.`

/** Adds `run` and `resume`. */
export function addRunCommands(program: Command, registrar: Registrar): void {
  const run = program
    .command('run')
    .summary('ask the configured agent')
    .description(
      'Ask the agent. Its calls are shown as they go; calls that need a person are named with how to decide them.',
    )
    .argument('[prompt]', 'what to ask, as one word of the command line; - reads it from standard input')
    .addOption(exampleOption())
    .addOption(dataOption())
    .addOption(offlineOption("use the configuration's offlineModel (the example's default)"))
    .addOption(modelOption())
    .option('--session <id>', 'go on with a stored conversation')
    .addHelpText('after', configHelp)
    .action((prompt: string | undefined, options: RunOptions, command: Command) =>
      registrar.run(command, async (context) => {
        const { runCommand } = await import('../commands/run.ts')
        return runCommand(prompt, options, context)
      }),
    )
  withExamples(run, [
    'run "checkout hangs, please help" --offline',
    'run "Why is checkout slow?" --model openai:gpt-5.1',
    'run "Why did my-service get slow?" --example incident-diagnosis --data ./my-incident',
  ])
  const resume = program
    .command('resume')
    .summary('go on with a run')
    .description(
      'Go on with a run whose process died, or whose approvals are settled. The store knows how it was started.',
    )
    .argument('<run>', 'run id')
    .action((runId: string, options: ModelChoice, command: Command) =>
      registrar.run(command, async (context) => {
        const { resumeCommand } = await import('../commands/resume.ts')
        return resumeCommand(runId, options, context)
      }),
    )
  for (const option of otherModelOptions()) resume.addOption(option)
  withExamples(resume, ['resume RUN', 'resume RUN --model openai:gpt-5.1'])
}
