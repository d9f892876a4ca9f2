import { fileURLToPath } from 'node:url'

/** The repository's folder, absolute and without a slash at its end. */
export const repositoryRoot: string = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')
