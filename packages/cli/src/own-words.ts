import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The words that start this command again from a working directory: its name, with `npx` before it when npx started it,
 * or the repository's script when it runs from its sources, where the name is not on anybody's path.
 */
export function ownWords(
  binUrl: string,
  workingDirectory: string,
  variables: { readonly [name: string]: string | undefined },
): readonly string[] {
  if (!binUrl.endsWith('.ts')) return variables['npm_command'] === 'exec' ? ['npx', 'fairlead'] : ['fairlead']
  const repository = dirname(dirname(dirname(dirname(fileURLToPath(binUrl)))))
  const where = workingDirectory === repository ? [] : ['--prefix', repository]
  return ['npm', ...where, 'run', '-s', 'fairlead', '--']
}
