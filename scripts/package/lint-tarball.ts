import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type { Packed } from './pack-package.ts'
import { runCommand } from './run-command.ts'
import { tarballFaults } from './tarball-faults.ts'

const attw = join(dirname(fileURLToPath(import.meta.resolve('@arethetypeswrong/cli/package.json'))), 'dist/index.js')

/**
 * What our own rules, publint and "are the types wrong" find in a tarball, one text each. Types are judged for
 * ES modules only: there is no CommonJS door.
 */
export async function lintTarball(packed: Packed): Promise<readonly string[]> {
  const bytes = readFileSync(packed.tarball)
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  const types = runCommand(process.execPath, [attw, packed.tarball, '--profile', 'esm-only', '--no-color'], {
    folder: dirname(packed.tarball),
    variables: process.env,
  })
  return [
    ...tarballFaults(packed.files),
    ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`),
    ...(types.code === 0 ? [] : [`types: ${types.out}${types.error}`]),
  ]
}
