// Run before and after packing the command: its tarball holds the examples, the repository only one copy of them.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesUnder } from '../build/files-under.ts'
import { repositoryRoot } from '../repository-root.ts'
import { isPackedExampleFile } from './packed-example-file.ts'

const examples = join(repositoryRoot, 'examples')
const target = join(repositoryRoot, 'packages/cli/examples')

rmSync(target, { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  for (const name of readdirSync(examples)) copyExample(name)
}

function copyExample(name: string): void {
  const files = filesUnder(join(examples, name)).filter(isPackedExampleFile)
  if (files.length === 0) throw new Error(`examples/${name} has no file to pack.`)
  for (const file of files) {
    mkdirSync(dirname(join(target, name, file)), { recursive: true })
    cpSync(join(examples, name, file), join(target, name, file))
  }
}
