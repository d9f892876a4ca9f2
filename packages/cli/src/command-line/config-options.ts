import { Option } from 'commander'

/** `--example NAME`, for commands that need an agent. */
export function exampleOption(): Option {
  return new Option('--example <name>', 'use an example that ships with Fairlead, for example incident-diagnosis')
}

/** `--data DIR`, for commands that need an agent. */
export function dataOption(): Option {
  return new Option('--data <dir>', 'a folder handed to the configuration (the example: an incident data folder)')
}
