import { iteratingRatio, subjectRatio } from './summarise-rounds.mjs'

/**
 * The bounds the design sets, each with what was found. `met` is `null` where the figure was not measured, because a
 * subject was left out or did not run.
 */
export function judgeBounds({ measured, absolute, ratios, deltas, commits }) {
  const ratio = (subject, mode, field) => rowOf(ratios, subject, mode)?.[field] ?? null
  const heap = (subject, mode) => rowOf(absolute, subject, mode)?.heapBytesPerRun ?? null
  const commitsOf = (calls) => commits?.batches.find((batch) => batch.calls === calls)?.commits ?? null
  const against = 'against AI SDK 7'
  return [
    bound(`core, one call per turn, ${against} generate`, '×', 0.15, ratio('fairlead', 'generate', 'perCallSeqWall')),
    bound(`core, 20 parallel calls, ${against} generate`, '×', 0.4, ratio('fairlead', 'generate', 'perCallParWall')),
    ...['seq10', 'par20'].map((script) =>
      bound(`core, iterating against folding, ${script}`, '×', 1.1, iteratingRatio(measured, 'fairlead', script)),
    ),
    ...['seq10', 'par20'].map((script) =>
      bound(`core, three pieces of middleware against none, ${script}`, '×', 1.3, middlewareRatio(measured, script)),
    ),
    ...['Seq', 'Par'].map((kind) =>
      bound(
        `fromAiSdk ${against} streaming, ${kind === 'Seq' ? 'one call per turn' : '20 parallel calls'}`,
        '×',
        0.25,
        ratio('fairlead-ai-sdk', 'stream', `perCall${kind}Wall`),
      ),
    ),
    bound('core, per text delta', 'µs', 1, deltas?.core.addedUsPerDelta ?? null),
    bound('core, heap kept per run, generate', 'bytes', 1024, heap('fairlead', 'generate')),
    bound('core, heap kept per run, stream', 'bytes', 1024, heap('fairlead', 'stream')),
    ...[1, 20, 500].map((calls) => bound(`durable, a batch of ${calls}`, 'commits', 2, commitsOf(calls))),
    bound('durable, a stop at an approval', 'commits', 1, commits?.approvalStop.commits ?? null),
  ]
}

function middlewareRatio(measured, script) {
  return subjectRatio(measured, { subject: 'fairlead-middleware', against: 'fairlead', mode: 'generate', script })
}

function bound(measure, unit, atMost, found) {
  return { measure, unit, atMost, found, met: found === null ? null : found <= atMost }
}

function rowOf(rows, subject, mode) {
  return rows.find((row) => row.subject === subject && row.mode === mode)
}
