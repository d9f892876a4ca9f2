// Measures one subject in a process of its own. Arguments: the adapter's file, then the options as JSON.
// The last line of the output is the answer.
import { pathToFileURL } from 'node:url'
import { answer } from '../program-answer.mjs'
import { quantile, rounded } from '../statistics.mjs'
import { newWorkload, scripts } from '../workload.mjs'

const [file, optionsText] = process.argv.slice(2)
const options = JSON.parse(optionsText)
const workload = newWorkload()
const { default: makeSubject } = await import(pathToFileURL(file).href)
const subject = await makeSubject(workload)

const modes = {}
// `fold` differs from `stream` by a few per cent: both in turn, so that neither has the younger process.
for (const inTurn of [['generate'], ['stream', 'fold']]) {
  const present = inTurn.filter((mode) => subject[mode] !== undefined)
  const measured = Object.fromEntries(present.map((mode) => [mode, {}]))
  for (const [name, script] of Object.entries(scripts)) {
    for (const mode of present) await warmUp(`${subject.name} ${mode} ${name}`, subject[mode], script)
    const times = await timeRuns(
      present.map((mode) => subject[mode]),
      script,
    )
    for (const [index, mode] of present.entries()) measured[mode][name] = times[index]
  }
  for (const mode of present) {
    const own = measured[mode]
    modes[mode] = { ...own, perCall: { seq: costOfCall(own, 'seq10', 10), par: costOfCall(own, 'par20', 20) } }
  }
}
// After every timing, so that a forced collection never falls into one.
for (const mode of options.heapRuns > 0 ? ['generate', 'stream'] : []) {
  modes[mode].heapBytesPerRun = await heapGrowth((subject.forHeap ?? subject)[mode])
}
await subject.close?.()
answer({ subject: subject.name, modes })

/** Warms up, and makes sure of what is measured: every call ran, the text is right. */
async function warmUp(title, run, script) {
  const started = performance.now()
  for (let count = 0; count < options.warmRuns && performance.now() - started < options.warmMs; count++) {
    const before = workload.ran.calls
    const text = await run(script)
    const calls = workload.ran.calls - before
    const expected = script.turns * script.calls
    if (text === 'done' && calls === expected) continue
    throw new Error(
      `${title}: expected ${expected} calls and "done"; found ${calls} calls and ${JSON.stringify(text)}.`,
    )
  }
}

/**
 * Ten runs of each in turn. The budget is CPU time of this process, for each of them, so that a busy machine makes runs
 * longer, not fewer.
 */
async function timeRuns(runs, script) {
  const budgetMs = options.budgetMs * runs.length
  const samples = runs.map(() => ({ wallUs: [], cpuUs: [] }))
  const started = performance.now()
  const cpuAtStart = process.cpuUsage()
  const isOver = () => usedUs(cpuAtStart) / 1000 >= budgetMs || performance.now() - started > budgetMs * 8
  while (samples[0].wallUs.length < options.leastRuns || !isOver()) {
    for (const [index, run] of runs.entries()) {
      const { wallUs, cpuUs } = samples[index]
      const cpuBefore = process.cpuUsage()
      for (let count = 0; count < 10; count++) {
        const at = performance.now()
        await run(script)
        wallUs.push((performance.now() - at) * 1000)
      }
      cpuUs.push(usedUs(cpuBefore))
    }
  }
  return samples.map(({ wallUs, cpuUs }) => {
    // The first half still holds compilation.
    const steady = cpuUs.slice(cpuUs.length >> 1)
    return {
      runs: wallUs.length,
      wallP10Us: rounded(quantile(wallUs, 0.1), 2),
      wallMedianUs: rounded(quantile(wallUs, 0.5), 2),
      cpuUs: rounded(steady.reduce((sum, us) => sum + us, 0) / (steady.length * 10), 2),
    }
  })
}

function usedUs(since) {
  const { user, system } = process.cpuUsage(since)
  return user + system
}

function costOfCall(measured, name, calls) {
  const cost = (field) => rounded((measured[name][field] - measured.none[field]) / calls, 2)
  return { wallP10Us: cost('wallP10Us'), wallMedianUs: cost('wallMedianUs'), cpuUs: cost('cpuUs') }
}

async function heapGrowth(run) {
  for (let count = 0; count < Math.min(100, options.heapRuns); count++) await run(scripts.seq10)
  const before = await heapAfterCollection()
  for (let count = 0; count < options.heapRuns; count++) await run(scripts.seq10)
  return Math.round(((await heapAfterCollection()) - before) / options.heapRuns)
}

async function heapAfterCollection() {
  // A turn of the event loop lets what waits for it go first.
  await new Promise((resolve) => setTimeout(resolve, 20))
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
