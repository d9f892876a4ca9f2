// How many commits a batch of calls costs on the SQLite store. What a run costs anyway is counted apart: one that writes the
// prompt before the model is asked, and the final answer's.
import { Agent } from '@fairlead/runtime/core'
import { sqliteStore } from '@fairlead/store'
import { addTool } from '../fairlead/fairlead-subject.mjs'
import { scriptedClient } from '../fairlead/scripted-client.mjs'
import { answer } from '../program-answer.mjs'
import { temporaryFile } from '../temporary-file.mjs'
import { newWorkload, scripts } from '../workload.mjs'

const temporary = temporaryFile('commits.db')
const store = sqliteStore({ file: temporary.file })
await store.ready()
const workload = newWorkload()
const agentWith = (script, options) =>
  new Agent({ model: noting(scriptedClient(script, workload)), tools: [addTool(workload, options)], store })

/** Commits there were when a model was asked last. */
let commitsWhenAsked = 0
function noting(client) {
  const generate = (request) => {
    commitsWhenAsked = store.statistics().commits
    return client.generate(request)
  }
  return { ...client, generate }
}

const beforeAlone = store.statistics().commits
const alone = (await counted(() => agentWith(scripts.none).run('go'))).commits
const opening = commitsWhenAsked - beforeAlone
const batches = []
for (const calls of [1, 20, 500]) {
  const before = workload.ran.calls
  const run = await counted(() => agentWith({ turns: 1, calls }).run('go'))
  if (run.result.text !== 'done' || workload.ran.calls - before !== calls) {
    throw new Error(`a batch of ${calls}: ${workload.ran.calls - before} calls ran, text ${run.result.text}`)
  }
  batches.push({ calls, commits: run.commits - alone, ms: run.ms })
}

const asking = agentWith({ turns: 1, calls: 20 }, { needsApproval: true })
const stop = await counted(() => asking.run('go'))
if (stop.result.approvals.length !== 20) throw new Error(`20 approvals expected, found ${stop.result.approvals.length}`)
const answers = stop.result.approvals.map((approval) => approval.approve({ by: 'bench' }))
const rest = await counted(() => asking.run(answers))
if (rest.result.text !== 'done') throw new Error(`after the approvals: ${rest.result.stopReason}`)

await store.close()
temporary.remove()
answer({
  opening,
  finalAnswer: alone - opening,
  batches,
  approvalStop: { calls: 20, commits: stop.commits - opening },
  approvalGoOn: { calls: 20, commits: rest.commits, besideBatchAndAnswer: rest.commits - (alone - opening) - 2 },
})

async function counted(work) {
  const before = store.statistics().commits
  const at = performance.now()
  const result = await work()
  return { result, commits: store.statistics().commits - before, ms: Math.round(performance.now() - at) }
}
