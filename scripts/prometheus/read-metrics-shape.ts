/** One family of series as queries name it. */
export interface Family {
  readonly name: string
  readonly kind: 'gauge' | 'counter' | 'bucket'
  /** Values of each label but `le`. */
  readonly labels: ReadonlyMap<string, readonly string[]>
}

/** What a metrics file holds: its families, its first and last time in seconds, and the milliseconds of a second samples lie at. */
export interface MetricsShape {
  readonly families: readonly Family[]
  readonly start: number
  readonly end: number
  readonly millisecondsTaken: ReadonlySet<number>
}

/** Reads the names, labels and times out of OpenMetrics text whose label values hold no escapes. */
export function readMetricsShape(text: string): MetricsShape {
  const labels = new Map<string, Map<string, Set<string>>>()
  const times: number[] = []
  for (const line of text.split('\n')) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+ (\S+)/.exec(line)
    if (found === null) continue
    const [, name = '', inside = '', time = ''] = found
    times.push(Number(time))
    const own = labels.get(name) ?? new Map<string, Set<string>>()
    labels.set(name, own)
    for (const [, label = '', value = ''] of inside.matchAll(/(\w+)="([^"]*)"/g)) {
      if (label !== 'le') own.set(label, (own.get(label) ?? new Set()).add(value))
    }
  }
  if (times.length === 0) throw new Error('The metrics file holds no sample.')
  return {
    families: [...labels].map(([name, own]) => ({
      name,
      kind: kindOf(name),
      labels: new Map([...own].map(([label, values]) => [label, [...values]])),
    })),
    start: times.reduce((one, two) => Math.min(one, two)),
    end: times.reduce((one, two) => Math.max(one, two)),
    millisecondsTaken: new Set(times.map((time) => Math.trunc(time * 1000) % 1000)),
  }
}

function kindOf(name: string): Family['kind'] {
  if (name.endsWith('_bucket')) return 'bucket'
  return /_(?:total|count|sum)$/.test(name) ? 'counter' : 'gauge'
}
