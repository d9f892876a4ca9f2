import { spawnSync } from 'node:child_process'
import { delimiter } from 'node:path'

/** How a command ended. `error` is what it wrote to standard error. */
export type Finished = { readonly code: number; readonly out: string; readonly error: string }

/** Where a command runs and with which environment. */
export type Surroundings = { readonly folder: string; readonly variables: NodeJS.ProcessEnv }

/**
 * The environment of a shell that knows nothing of the `npm run` around this process: npm tells its children which
 * project they belong to and puts the project's commands on their path. The registry and the cache stay.
 */
export function outsideOfNpm(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ofTheProject =
    /^(?:npm_(?:package|lifecycle)_|npm_(?:command|execpath|node_execpath)$|npm_config_(?:local_prefix|workspace)|INIT_CWD$|NODE$)/i
  const kept = Object.entries(variables).filter(([name]) => !ofTheProject.test(name))
  return Object.fromEntries(
    kept.map(([name, value]) =>
      name.toUpperCase() === 'PATH' ? [name, withoutBinFolders(value ?? '')] : [name, value],
    ),
  )
}

function withoutBinFolders(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => !/node_modules[\\/]\.bin[\\/]?$|[\\/]node-gyp-bin$/.test(folder))
    .join(delimiter)
}

/** Runs a command to its end, at most five minutes; its failure is a value. */
export function runCommand(command: string, words: readonly string[], where: Surroundings): Finished {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd: where.folder,
    env: where.variables,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 300_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { code: status ?? -1, out: stdout ?? '', error: `${stderr ?? ''}${error === undefined ? '' : error.message}` }
}

/** Runs a command that must end with a code (0 unless said); throws with what it wrote when it ends with another. */
export function mustRun(command: string, words: readonly string[], where: Surroundings & { code?: number }): Finished {
  const finished = runCommand(command, words, where)
  if (finished.code === (where.code ?? 0)) return finished
  const said = `${finished.out.slice(-4000)}\n${finished.error.slice(-4000)}`.trim()
  throw new Error(
    `${command} ${words.join(' ')}: expected exit code ${where.code ?? 0}, found ${finished.code}.\n${said}`,
  )
}
