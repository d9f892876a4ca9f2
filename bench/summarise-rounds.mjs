import { median, rounded } from './statistics.mjs'

export const baseline = 'ai7'

const fields = ['wallP10Us', 'wallMedianUs', 'cpuUs']

/**
 * One row for each subject and mode, medians over the rounds: microseconds of a whole run for each script, and of one
 * call. `measured` holds, by subject, the rounds' answers (`null` where a round failed).
 */
export function absoluteRows(measured) {
  return eachMode(measured, (rounds, subject, mode) => {
    const over = (pick) => rounded(median(rounds.map((round) => pick(round.modes[mode]))), 2)
    const times = (part) => Object.fromEntries(fields.map((field) => [field, over((found) => part(found)[field])]))
    return {
      subject,
      mode,
      none: times((found) => found.none),
      seq10: times((found) => found.seq10),
      par20: times((found) => found.par20),
      perCallSeq: times((found) => found.perCall.seq),
      perCallPar: times((found) => found.perCall.par),
      heapBytesPerRun: over((found) => found.heapBytesPerRun ?? Number.NaN),
    }
  })
}

/** The same as ratios to the baseline in the same mode and round; the median over the rounds of each ratio. */
export function ratioRows(measured) {
  const base = measured.get(baseline) ?? []
  return eachMode(measured, (rounds, subject, mode) => {
    const against = mode === 'fold' ? 'stream' : mode
    const ratio = (pick) => {
      const each = (measured.get(subject) ?? []).map((round, index) => {
        const other = base[index]?.modes[against]
        return round === null || other === undefined ? Number.NaN : pick(round.modes[mode]) / pick(other)
      })
      return rounded(median(each), 3)
    }
    return {
      subject,
      mode,
      perCallSeqWall: ratio((found) => found.perCall.seq.wallP10Us),
      perCallParWall: ratio((found) => found.perCall.par.wallP10Us),
      seq10Wall: ratio((found) => found.seq10.wallP10Us),
      par20Wall: ratio((found) => found.par20.wallP10Us),
      seq10Cpu: ratio((found) => found.seq10.cpuUs),
      par20Cpu: ratio((found) => found.par20.cpuUs),
    }
  })
}

/** Iterating a stream against only asking for its result, whole runs, wall p10. `null` when it was not measured. */
export function iteratingRatio(measured, subject, script) {
  const rounds = (measured.get(subject) ?? []).filter((round) => round !== null)
  const ratios = rounds.map(({ modes }) => modes.stream[script].wallP10Us / modes.fold[script].wallP10Us)
  return rounded(median(ratios), 3)
}

/** One subject against another in the same mode and round, whole runs, wall p10. `null` when one was not measured. */
export function subjectRatio(measured, { subject, against, mode, script }) {
  const others = measured.get(against) ?? []
  const ratios = (measured.get(subject) ?? []).map((round, index) => {
    const other = others[index] ?? null
    if (round === null || other === null) return Number.NaN
    return round.modes[mode][script].wallP10Us / other.modes[mode][script].wallP10Us
  })
  return rounded(median(ratios), 3)
}

function eachMode(measured, rowOf) {
  const rows = []
  for (const [subject, all] of measured) {
    const rounds = all.filter((round) => round !== null)
    for (const mode of Object.keys(rounds[0]?.modes ?? {})) rows.push(rowOf(rounds, subject, mode))
  }
  return rows
}
