// Runs the fairlead command from its sources: `npm run -s fairlead -- …` needs no build.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureInstalled, root } from './ensure-installed.mjs'

export function runFairlead(args) {
  ensureInstalled()
  const tsx = pathToFileURL(join(root, 'node_modules/tsx/dist/esm/index.mjs')).href
  const child = spawn(
    process.execPath,
    ['--conditions=@fairlead/source', '--import', tsx, join(root, 'packages/cli/src/bin.ts'), ...args],
    { stdio: 'inherit', cwd: process.env['INIT_CWD'] ?? process.cwd() },
  )
  // Ctrl-C reaches the whole group of the terminal, the command included: it stops in order, and we wait for it.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}

if (process.argv[1] === join(root, 'scripts/fairlead.mjs')) runFairlead(process.argv.slice(2))
