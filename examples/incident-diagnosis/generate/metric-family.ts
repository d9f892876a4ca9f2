/** One metric family of OpenMetrics text. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly series: readonly MetricSeries[]
}

/** One series: the sample name's suffix, its labels in the order written, and its samples in rising time. */
export interface MetricSeries {
  readonly suffix: '' | '_total' | '_bucket' | '_sum' | '_count'
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly samples: readonly { readonly time: number; readonly value: number }[]
}

/** Writes families as OpenMetrics text that ends with `# EOF`; families without series are left out. */
export function renderOpenMetrics(families: readonly MetricFamily[]): string {
  const lines = families.flatMap((family) =>
    family.series.length === 0
      ? []
      : [
          `# HELP ${family.name} ${family.help}`,
          `# TYPE ${family.name} ${family.type}`,
          ...family.series.flatMap((series) => renderSeries(family.name, series)),
        ],
  )
  return [...lines, '# EOF', ''].join('\n')
}

function renderSeries(family: string, { suffix, labels, samples }: MetricSeries): readonly string[] {
  const written = labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',')
  return samples.map(({ time, value }) => `${family}${suffix}{${written}} ${value} ${time}`)
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
