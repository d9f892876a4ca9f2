// What one text delta of a long streamed turn costs beside iterating the raw client stream. Argument: the options.
// Measured without async-local storage in the process, and with it: on Node 20 and 22 it makes every promise dearer, in the
// raw stream as well.
import { Agent, memoryStore } from '@fairlead/runtime/core'
import { fromAiSdk } from '@fairlead/runtime/models'
import { streamOf } from '../peers/ai-sdk-model.mjs'
import { addTool } from '../fairlead/fairlead-subject.mjs'
import { scriptedClient } from '../fairlead/scripted-client.mjs'
import { answer } from '../program-answer.mjs'
import { median, quantile, rounded } from '../statistics.mjs'
import { newWorkload } from '../workload.mjs'

const { deltaRepeats } = JSON.parse(process.argv[2])
const deltas = 10_000
const usage = { inputTokens: 10, outputTokens: 5 }

const client = {
  model: 'scripted',
  generate: async () => ({ parts: [{ kind: 'text', text: 'done' }], finishReason: 'stop', usage }),
  async *stream() {
    for (let count = 0; count < deltas; count++) yield { kind: 'text-delta', id: '0', text: 'word ' }
    yield { kind: 'finish', finishReason: 'stop', usage }
  },
}

const aiSdkUsage = { inputTokens: { total: 10 }, outputTokens: { total: 5 } }
const aiSdkParts = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  ...Array.from({ length: deltas }, () => ({ type: 'text-delta', id: '0', delta: 'word ' })),
  { type: 'text-end', id: '0' },
  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: aiSdkUsage },
]
const aiSdkModel = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'deltas',
  supportedUrls: {},
  doStream: async () => ({ stream: streamOf(aiSdkParts) }),
  doGenerate: async () => ({ content: [], finishReason: { unified: 'stop' }, usage: aiSdkUsage, warnings: [] }),
}

await runOneTool()
const core = await compare(client, () => client.stream(), 'text-delta')
const throughAiSdk = await compare(
  fromAiSdk(aiSdkModel),
  async () => (await aiSdkModel.doStream()).stream,
  'text-delta',
)
await import('@fairlead/runtime/ambient')
await runOneTool()
answer({ deltas, core, withAmbient: await compare(client, () => client.stream(), 'text-delta'), throughAiSdk })

async function runOneTool() {
  const workload = newWorkload()
  const model = scriptedClient({ turns: 1, calls: 1 }, workload)
  await new Agent({ model, tools: [addTool(workload)] }).run('go')
  if (workload.ran.calls !== 1) throw new Error(`one call expected, ${workload.ran.calls} ran`)
}

/** In turn: raw, through the agent, raw, … so that both see the same machine. */
async function compare(model, openRaw, kind) {
  const agent = new Agent({ model, store: memoryStore({ keepRuns: 0 }) })
  const raw = []
  const through = []
  for (let count = 0; count < deltaRepeats + 3; count++) {
    const rawUs = await timeIteration(await openRaw(), (part) => (part.kind ?? part.type) === kind)
    const throughUs = await timeIteration(agent.stream('go'), (update) => update.kind === kind)
    if (count < 3) continue
    raw.push(rawUs)
    through.push(throughUs)
  }
  const perDelta = (pick) => rounded((pick(through) - pick(raw)) / deltas, 3)
  return {
    rawUsPerDelta: rounded(quantile(raw, 0.1) / deltas, 3),
    addedUsPerDelta: perDelta((times) => quantile(times, 0.1)),
    addedUsPerDeltaMedian: perDelta(median),
  }
}

async function timeIteration(iterable, isDelta) {
  let seen = 0
  const at = performance.now()
  for await (const item of iterable) if (isDelta(item)) seen++
  const took = (performance.now() - at) * 1000
  if (seen !== deltas) throw new Error(`expected ${deltas} deltas, found ${seen}`)
  return took
}
