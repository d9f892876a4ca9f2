import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { Order } from './order.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const programs = join(root, 'e2e/crash/programs')
const sources = ['packages/runtime/src', 'packages/store/src', 'e2e/crash']
const cache = join(root, 'node_modules', '.cache', 'fairlead-crash')

/** The programs as plain files that Node starts without a loader. */
export type BuiltPrograms = { readonly worker: string; readonly remote: string }

/**
 * Bundles the programs of the crash tests from sources, each into one file, and keeps the worker's machine code: a
 * process then starts at a third of what it costs from a build of many files. They lie below `node_modules`, where
 * `libsql` is found, and are built anew when a source has changed. Throws when a worker does not start.
 */
export async function buildPrograms(): Promise<BuiltPrograms> {
  const folder = join(cache, stateOfSources())
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    removeOld()
    const building = mkdtempSync(join(cache, 'building-'))
    for (const name of ['worker', 'remote']) await bundle(name, building)
    copyFileSync(join(programs, 'start-cached.cjs'), join(building, 'start.cjs'))
    warmUp(building)
    try {
      renameSync(building, folder)
    } catch (error) {
      // Somebody else has built the same at the same time.
      if (!existsSync(folder)) throw error
      rmSync(building, { recursive: true })
    }
  }
  // Used now: what nobody has used for an hour is removed by who builds next.
  utimesSync(folder, new Date(), new Date())
  return { worker: join(folder, 'start.cjs'), remote: join(folder, 'remote.cjs') }
}

/** A name for the sources and the Node they are built for, as they are now. */
function stateOfSources(): string {
  const hash = createHash('sha256').update(process.version)
  for (const folder of sources) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.includes('.test')) continue
      const path = join(entry.parentPath, entry.name)
      const { mtimeMs, size } = statSync(path)
      hash.update(`${path} ${mtimeMs} ${size}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}

const hour = 60 * 60 * 1000

function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name)
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > hour)
      rmSync(path, { recursive: true, force: true })
  }
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
function warmUp(folder: string): void {
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
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'start.cjs'), JSON.stringify(order)], {
    encoding: 'utf8',
    input: 'go\n',
    env: { ...process.env, FAIRLEAD_CRASH_CACHE: 'write' },
  })
  if (status !== 0 || !stdout.includes('"answered"')) throw new Error(`A worker does not start. ${stdout} ${stderr}`)
}
