// npm run bench: measures the built project beside its peers. See README.md in this folder.
import { availableParallelism, loadavg } from 'node:os'
import { buildProject } from './build-project.mjs'
import { installPeers } from './install-peers.mjs'
import { judgeBounds } from './judge-bounds.mjs'
import { measureSchemas } from './measure-schemas.mjs'
import { readOptions, sections } from './options.mjs'
import { reportText } from './print-report.mjs'
import { runProgram } from './run-program.mjs'
import { subjects } from './subjects.mjs'
import { absoluteRows, ratioRows } from './summarise-rounds.mjs'

const options = optionsOrExit()
const { only, measure } = options
const say = (line) => process.stderr.write(`${line}\n`)
const wanted = (name) => only === null || only.includes(name)

const chosen = subjects.filter(({ name, quick }) => (only === null && options.quick ? quick : wanted(name)))
const skipped = []
const failed = []
const load = loadavg().map((value) => Number(value.toFixed(1)))

buildProject(say)
const running = withFiles(chosen)
const measured = await measureInTurn(running)
const deltas = await part('deltas', () => runProgram('measure-deltas.mjs', [JSON.stringify(measure)]))
const commits = await part('commits', () => runProgram('count-commits.mjs', []))
const schemas = await part('schemas', measureSchemas)
for (const row of schemas ?? []) if (row.outcome === 'failed') failed.push({ name: row.name, because: row.because })

const absolute = absoluteRows(measured)
const ratios = ratioRows(measured)
const report = {
  date: new Date().toISOString(),
  node: process.version,
  cpus: availableParallelism(),
  load,
  rounds: measure.rounds,
  quick: options.quick,
  absolute,
  ratios,
  bounds: judgeBounds({ measured, absolute, ratios, deltas, commits }),
  deltas,
  commits,
  schemas,
  skipped,
  failed,
  measured: Object.fromEntries(measured),
}
process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report))
process.exitCode = skipped.length + failed.length === 0 ? 0 : 1

function optionsOrExit() {
  try {
    const read = readOptions(process.argv.slice(2), [...subjects.map(({ name }) => name), ...sections])
    if (!read.help) return read
    process.stdout.write(`${read.usage}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

/** The subjects with the file to measure; what cannot be installed is put aside. */
function withFiles(all) {
  const peers = all.filter(({ peer }) => peer).map(({ name }) => name)
  const installed = peers.length === 0 ? new Map() : installPeers(peers, say)
  return all.flatMap((subject) => {
    const found = installed.get(subject.name)
    if (found?.kind !== 'skipped') return [{ ...subject, file: found?.file ?? subject.file }]
    skipped.push({ name: subject.name, because: found.because })
    return []
  })
}

/** A B C … A B C …: a machine that slows down slows everybody down. The heap is looked at in the first round. */
async function measureInTurn(all) {
  const rounds = new Map(all.map(({ name }) => [name, []]))
  for (let round = 0; round < measure.rounds; round++) {
    for (const { name, file, heap } of all) {
      const heapRuns = round === 0 && heap !== false ? measure.heapRuns : 0
      try {
        rounds.get(name).push(await runProgram('measure-subject.mjs', [file, JSON.stringify({ ...measure, heapRuns })]))
        say(`round ${round + 1} of ${measure.rounds}: ${name}`)
      } catch (error) {
        rounds.get(name).push(null)
        failed.push({ name: `${name}, round ${round + 1}`, because: error.message })
        say(`round ${round + 1} of ${measure.rounds}: ${name} did not run: ${error.message}`)
      }
    }
  }
  return rounds
}

async function part(name, work) {
  if (!wanted(name)) return null
  say(name)
  try {
    return await work()
  } catch (error) {
    failed.push({ name, because: error.message })
    return null
  }
}
