import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateIncident, randomIncident, writeIncident } from '../../examples/incident-diagnosis/generate/index.ts'
import { startLab } from '../../examples/incident-diagnosis/lab/index.ts'
import { repositoryRoot } from '../repository-root.ts'
import { compareAnswers } from './compare-answers.ts'
import { findBinaries, type Binaries } from './find-binaries.ts'
import { generateQueries } from './generate-queries.ts'
import { plannerQueries } from './planner-queries.ts'
import { askRange, type RangeQuery } from './range-query.ts'
import { readMetricsShape } from './read-metrics-shape.ts'
import { startPrometheus } from './start-prometheus.ts'

const queriesPerFolder = 40
const shippedData = join(repositoryRoot, 'examples/incident-diagnosis/data')

/**
 * Compares the lab with a real Prometheus, value for value, over every query the planner asks of the shipped folders and a generated
 * one, and over generated queries. Gives the exit code: 1 when any answer differs, 0 else and when there is no binary.
 */
export async function checkPrometheus(options: { readonly mayFetch: boolean; readonly seed: number }): Promise<number> {
  const temporary = mkdtempSync(join(tmpdir(), 'check-prometheus-'))
  try {
    const binaries = findBinaries({ folder: temporary, mayFetch: options.mayFetch })
    if (binaries.kind === 'none') {
      console.log(`skipped: ${binaries.reason}`)
      return 0
    }
    console.log(`Prometheus ${binaries.version}, seed ${options.seed} (FAIRLEAD_SEED repeats it)`)
    const folders = [...shippedFolders(), await generatedFolder(temporary, options.seed)]
    let [compared, differing] = [0, 0]
    for (const [index, folder] of folders.entries()) {
      const place = { folder, seed: options.seed + index, temporary: join(temporary, `folder-${index}`) }
      const counts = await compareFolder(binaries, place)
      compared += counts.compared
      differing += counts.differing
    }
    console.log(`${compared} queries compared, ${differing} differ`)
    return differing > 0 || compared < queriesPerFolder * folders.length ? 1 : 0
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

interface Place {
  readonly folder: string
  readonly seed: number
  readonly temporary: string
}

async function compareFolder(
  binaries: Extract<Binaries, { readonly kind: 'found' }>,
  { folder, seed, temporary }: Place,
): Promise<{ readonly compared: number; readonly differing: number }> {
  const metricsFile = join(folder, 'metrics.om')
  const shape = readMetricsShape(readFileSync(metricsFile, 'utf8'))
  const lab = await startLab({ dataDirectory: folder })
  const prometheus = await startPrometheus(binaries, { metricsFile, folder: temporary })
  try {
    const ofPlanner = await plannerQueries({ dataDirectory: folder, prometheusUrl: prometheus.url })
    const generated = generateQueries(shape, { seed, count: queriesPerFolder })
    let differing = 0
    for (const query of [...ofPlanner, ...generated]) {
      const moved = binaries.major < 3 ? offTheSamples(query, shape.millisecondsTaken) : query
      const answers = await Promise.all([askRange(lab.prometheusUrl, moved), askRange(prometheus.url, moved)])
      const difference = compareAnswers(answers, {
        tiesMayDiffer: binaries.major < 3 && /topk|bottomk/.test(query.promql),
      })
      if (difference === undefined) continue
      differing += 1
      console.log(`differs: ${query.promql}\n  ${JSON.stringify(moved)}\n  ${difference}`)
    }
    const compared = ofPlanner.length + generated.length
    console.log(
      `${folder.split(/[\\/]/).at(-1)}: ${ofPlanner.length} planner and ${generated.length} generated queries`,
    )
    return { compared, differing }
  } finally {
    await prometheus.stop()
    await lab.close()
  }
}

/** Before version 3 a range also held a sample at its very start: no sample may lie there, so all times move by a fraction. */
function offTheSamples(query: RangeQuery, taken: ReadonlySet<number>): RangeQuery {
  const free = Array.from({ length: 1000 }, (_, index) => (index + 500) % 1000).find((each) => !taken.has(each))
  if (free === undefined) throw new Error('The samples leave no millisecond of a second free.')
  const move = (seconds: number): number => Math.floor(seconds) + free / 1000
  return { ...query, start: move(query.start), end: move(query.end) }
}

function shippedFolders(): readonly string[] {
  return readdirSync(shippedData)
    .map((name) => join(shippedData, name))
    .filter((path) => statSync(join(path, 'metrics.om'), { throwIfNoEntry: false })?.isFile() === true)
}

async function generatedFolder(temporary: string, seed: number): Promise<string> {
  for (let index = 0; index < 50; index += 1) {
    const files = generateIncident(randomIncident(seed, index))
    if (!files.has('metrics.om') || !files.has('alerts.json')) continue
    const folder = join(temporary, 'generated')
    await writeIncident(folder, files)
    return folder
  }
  throw new Error('None of 50 generated folders has metrics.')
}
