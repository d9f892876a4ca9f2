import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { Order } from './order.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const programs = join(root, 'e2e/crash/programs')

/** The programs as plain files that Node starts without a loader. */
export type BuiltPrograms = { readonly worker: string; readonly remote: string; remove(): void }

/**
 * Bundles the programs of the crash tests from sources, each into one file, and keeps the worker's machine code: a
 * process then starts at a quarter of what it costs from a build of many files. They lie below `node_modules`, where
 * `libsql` is found. Throws when a worker does not start.
 */
export async function buildPrograms(): Promise<BuiltPrograms> {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'fairlead-crash-'))
  for (const name of ['worker', 'remote']) await bundle(name, folder)
  const worker = join(folder, 'start.cjs')
  copyFileSync(join(programs, 'start-cached.cjs'), worker)
  warmUp(worker, folder)
  return { worker, remote: join(folder, 'remote.cjs'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

async function bundle(name: string, folder: string): Promise<void> {
  const conditions = ['@fairlead/source', 'node', 'import', 'module', 'default']
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['libsql'], resolve: { conditions, externalConditions: conditions } },
    build: {
      ssr: join(programs, `${name}.ts`),
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { format: 'cjs', entryFileNames: '[name].cjs' } },
    },
  })
}

/** A first start, which runs a call through, so that what is kept is what the others need. */
function warmUp(worker: string, folder: string): void {
  const order: Order = {
    file: join(folder, 'warm.db'),
    // Nobody listens there: the call fails, which is as good.
    remote: 'http://127.0.0.1:9/nobody',
    script: {
      turns: [{ text: 'One.', calls: [{ name: 'read_meter', arguments: { item: 'warm' } }] }, 'Done.'],
      inner: [],
    },
    tasks: [{ do: 'start' }],
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [worker, JSON.stringify(order)], {
    encoding: 'utf8',
    input: 'go\n',
    env: { ...process.env, FAIRLEAD_CRASH_CACHE: 'write' },
  })
  if (status !== 0 || !stdout.includes('"answered"')) throw new Error(`A worker does not start. ${stdout} ${stderr}`)
}
