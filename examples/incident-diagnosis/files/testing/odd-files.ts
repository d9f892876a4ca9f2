import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'

/** What is no regular file, by its name in messages, and how it comes to lie at a path. Only tests use it. */
export const oddFiles: readonly (readonly [found: string, put: (path: string) => void])[] = [
  ['a pipe', (path) => void spawnSync('sh', ['-c', 'mkfifo "$0"', path])],
  ['a device', (path) => symlinkSync('/dev/zero', path)],
  ['a folder', (path) => mkdirSync(path)],
]
