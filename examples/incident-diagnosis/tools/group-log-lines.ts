/** One log line with its time in seconds since the epoch. */
export type LogLine = {
  readonly time: number
  readonly labels: Readonly<Record<string, string>>
  readonly line: string
}

/** Lines that say the same thing up to ids and numbers; `counts` are [start of bin, lines in it], empty bins left out. */
export type LogPattern = {
  readonly pattern: string
  readonly example: string
  readonly count: number
  readonly first: number
  readonly last: number
  readonly counts: readonly (readonly [number, number])[]
}

/** Groups lines (in time order) by what they say, most frequent first. Bins are aligned to multiples of their width. */
export function groupLogLines(lines: readonly LogLine[], binSeconds: number): readonly LogPattern[] {
  const groups = new Map<string, LogLine[]>()
  for (const line of lines) {
    const pattern = patternOf(line.line)
    const members = groups.get(pattern)
    if (members === undefined) groups.set(pattern, [line])
    else members.push(line)
  }
  return [...groups]
    .map(([pattern, members]) => describe(pattern, members, binSeconds))
    .toSorted((left, right) => right.count - left.count || left.first - right.first)
}

/** A line with every word that holds a digit replaced by `#`. */
function patternOf(line: string): string {
  return line
    .replaceAll(/[\w-]*\d[\w-]*/g, '#')
    .replaceAll(/#(?:[.:,/]#)+/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
}

function describe(pattern: string, members: readonly LogLine[], binSeconds: number): LogPattern {
  const counts = new Map<number, number>()
  for (const { time } of members) {
    const bin = Math.floor(time / binSeconds) * binSeconds
    counts.set(bin, (counts.get(bin) ?? 0) + 1)
  }
  return {
    pattern,
    example: members[0]?.line ?? '',
    count: members.length,
    first: members[0]?.time ?? 0,
    last: members.at(-1)?.time ?? 0,
    counts: [...counts],
  }
}
