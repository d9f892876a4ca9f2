// `npm run build`: dist of every public package, as it is published.
import { buildPackages } from './build/build-packages.ts'
import { repositoryRoot } from './repository-root.ts'

process.exitCode = buildPackages(repositoryRoot) ? 0 : 1
