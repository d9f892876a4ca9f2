import { Option } from 'commander'
import { modelForms } from '../config/model-spec.ts'

/** `--example NAME`, for commands that need an agent. */
export function exampleOption(): Option {
  return new Option('--example <name>', 'use an example that ships with Fairlead, for example incident-diagnosis')
}

/** `--data DIR`, for commands that need an agent. */
export function dataOption(): Option {
  return new Option(
    '--data <dir>',
    'a folder handed to the configuration, which may ignore it (the example: an incident data folder)',
  )
}

/** `--offline`, for commands that may ask a model. */
export function offlineOption(text: string): Option {
  return new Option('--offline', text)
}

/** `--model MODEL`, for commands that may ask a model. */
export function modelOption(): Option {
  return new Option('--model <model>', `ask this model: ${modelForms}; keys come from the environment`)
}

/** The same two for commands that go on with a run, which knows what it was started with. */
export function otherModelOptions(): readonly [Option, Option] {
  return [offlineOption("go on with the configuration's offlineModel (default: as the run was started)"), modelOption()]
}
