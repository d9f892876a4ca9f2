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
for (const mode of ['generate', 'stream', 'fold']) {
  if (subject[mode] === undefined) continue
  const measured = {}
  for (const [name, script] of Object.entries(scripts)) {
    await warmUp(`${subject.name} ${mode} ${name}`, subject[mode], script)
    measured[name] = await timeRuns(subject[mode], script)
  }
  modes[mode] = {
    ...measured,
    perCall: { seq: costOfCall(measured, 'seq10', 10), par: costOfCall(measured, 'par20', 20) },
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

/** The budget is CPU time of this process, so that a busy machine makes runs longer, not fewer. */
async function timeRuns(run, script) {
  const wallUs = []
  const cpuMarks = []
  const started = performance.now()
  const cpuAtStart = process.cpuUsage()
  const usedUs = () => {
    const { user, system } = process.cpuUsage(cpuAtStart)
    return user + system
  }
  const isOver = () => usedUs() / 1000 >= options.budgetMs || performance.now() - started > options.budgetMs * 8
  while (wallUs.length < options.leastRuns || !isOver()) {
    for (let count = 0; count < 10; count++) {
      const at = performance.now()
      await run(script)
      wallUs.push((performance.now() - at) * 1000)
    }
    cpuMarks.push(usedUs())
  }
  // The first half still holds compilation.
  const half = cpuMarks.length >> 1
  const steadyUs = half === 0 ? cpuMarks.at(-1) : cpuMarks.at(-1) - cpuMarks[half - 1]
  return {
    runs: wallUs.length,
    wallP10Us: rounded(quantile(wallUs, 0.1), 2),
    wallMedianUs: rounded(quantile(wallUs, 0.5), 2),
    cpuUs: rounded(steadyUs / ((cpuMarks.length - half) * 10), 2),
  }
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
