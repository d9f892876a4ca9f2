import { baseline } from './summarise-rounds.mjs'

/** The report as text: absolute figures, ratios, bounds, then the parts beside the subjects. */
export function reportText(report) {
  const parts = [
    `Node ${report.node}, ${report.cpus} CPUs, load ${report.load.join(' ')}, ${report.rounds} round(s)`,
    section('Microseconds, wall p10 (CPU in brackets); medians over rounds; heap in bytes', absoluteTable(report)),
    section(`Ratios to ${baseline} in the same mode and round (fold against its stream)`, ratioTable(report)),
    section('Bounds', boundsTable(report)),
  ]
  if (report.deltas !== null) parts.push(section('Text deltas, 10,000 in one turn', deltasTable(report)))
  if (report.commits !== null) parts.push(section('Commits on SQLite', commitsTable(report)))
  if (report.schemas !== null) parts.push(section('Hostile schemas, definition and first check', schemasTable(report)))
  if (report.quick)
    parts.push('--quick: everything is measured cold and once; it shows that it works, not how fast it is.')
  for (const { name, because } of report.skipped) parts.push(`skipped: ${name}: ${because}`)
  for (const { name, because } of report.failed) parts.push(`did not run: ${name}: ${because}`)
  return `${parts.join('\n\n')}\n`
}

function absoluteTable({ absolute }) {
  const cell = ({ wallP10Us, cpuUs }) => `${shown(wallP10Us)} (${shown(cpuUs)})`
  const rows = absolute.map((row) => [
    row.subject,
    row.mode,
    ...['none', 'seq10', 'par20', 'perCallSeq', 'perCallPar'].map((field) => cell(row[field])),
    shown(row.heapBytesPerRun),
  ])
  return [
    ['subject', 'mode', 'no call', '10 turns × 1', '1 turn × 20', 'per call seq', 'per call par', 'heap'],
    ...rows,
  ]
}

function ratioTable({ ratios }) {
  const fields = ['perCallSeqWall', 'perCallParWall', 'seq10Wall', 'par20Wall', 'seq10Cpu', 'par20Cpu']
  const rows = ratios.map((row) => [row.subject, row.mode, ...fields.map((field) => shown(row[field]))])
  const heads = ['call seq, wall', 'call par, wall', 'seq10, wall', 'par20, wall', 'seq10, CPU', 'par20, CPU']
  return [['subject', 'mode', ...heads], ...rows]
}

function boundsTable({ bounds }) {
  const verdict = (met) => (met === null ? 'not measured' : met ? 'met' : 'missed')
  const rows = bounds.map(({ measure, unit, atMost, found, met }) => [
    measure,
    `${shown(atMost)} ${unit}`,
    shown(found),
    verdict(met),
  ])
  return [['measure', 'at most', 'found', ''], ...rows]
}

function deltasTable({ deltas }) {
  const row = (name, found) =>
    [name, found.rawUsPerDelta, found.addedUsPerDelta, found.addedUsPerDeltaMedian].map(shown)
  return [
    ['µs per delta', 'raw stream', 'added (p10)', 'added (median)'],
    row('core', deltas.core),
    row('core, calls followed', deltas.withAmbient),
    row('through fromAiSdk', deltas.throughAiSdk),
  ]
}

function commitsTable({ commits }) {
  const { batches, approvalStop, approvalGoOn, finalAnswer, opening } = commits
  return [
    ['what', 'commits'],
    ...batches.map(({ calls, commits: count }) => [`batch of ${calls}`, shown(count)]),
    ['stop at an approval', shown(approvalStop.commits)],
    ['answers of 20 approvals, to the end', shown(approvalGoOn.commits)],
    ['prompt, before the model is asked', shown(opening)],
    ['final answer', shown(finalAnswer)],
  ]
}

function schemasTable({ schemas }) {
  const rows = schemas.map((row) => [row.name, `${row.outcome} ${row.code ?? row.firstCheck ?? ''}`, shown(row.ms)])
  return [['schema', 'outcome', 'ms'], ...rows]
}

function section(title, rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
  return [title, ...lines].join('\n')
}

function shown(value) {
  if (value === null) return '–'
  return typeof value === 'number' ? String(value) : value
}
