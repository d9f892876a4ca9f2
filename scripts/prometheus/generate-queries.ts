import type { RangeQuery } from './range-query.ts'
import type { Family, MetricsShape } from './read-metrics-shape.ts'

const ranges = ['2m', '5m', '7m30s', '10m'] as const
const offsets = ['', '', '', ' offset 3m', ' offset 10m', ' offset -4m'] as const
/** No window may begin before the data: versions 2 and 3 stretch a counter to such an edge in different ways. */
const longestLookBack = 20 * 60

/**
 * Queries over the whole grammar of the lab, the same for the same seed.
 *
 * None of them makes a jump out of a rounding error, which differs between versions: comparisons and `%` stand on raw samples or
 * next to a threshold that no sum meets, and no near-equal numbers are subtracted.
 */
export function generateQueries(
  shape: MetricsShape,
  options: { readonly seed: number; readonly count: number },
): readonly RangeQuery[] {
  const draw = drawFor(options.seed)
  const writer = writerOf(shape.families, draw)
  return Array.from({ length: options.count }, (_, index) => {
    const start = shape.start + longestLookBack + draw.below(600)
    const write = writer[index % writer.length]
    return { promql: write?.() ?? '1', start, end: shape.end + 300, step: draw.pick([15, 30, 60, 77, 300]) }
  })
}

interface Draw {
  below(limit: number): number
  pick<T>(items: readonly T[]): T
}

function writerOf(families: readonly Family[], draw: Draw): readonly (() => string)[] {
  const ofKind = (kind: Family['kind']): Family => draw.pick(families.filter((family) => family.kind === kind))
  const offset = (): string => draw.pick(offsets)
  const raw = (): string => `${select(ofKind(draw.pick(['gauge', 'counter'])), draw)}${offset()}`
  const growth = (family: Family): string =>
    `${draw.pick(['rate', 'increase'])}(${select(family, draw)}[${draw.pick(ranges)}]${offset()})`
  const grouping = (family: Family): string => {
    const labels = [...family.labels.keys()].filter(() => draw.below(2) === 0)
    return draw.pick([` by (${labels.join(', ')}) `, ` without (${labels.join(', ')}) `, ' '])
  }
  const folded = (): string => {
    const family = ofKind(draw.pick(['gauge', 'counter']))
    const inner = family.kind === 'counter' ? growth(family) : `${select(family, draw)}${offset()}`
    return `${draw.pick(['sum', 'avg', 'min', 'max'])}${grouping(family)}(${inner})`
  }
  const threshold = (): string => draw.pick(['0.0437219', '0.37219', '1.130377', '17.37219', '431.61277'])
  const comparison = (): string => draw.pick(['==', '!=', '>', '<', '>=', '<='])
  return [
    raw,
    () => growth(ofKind('counter')),
    folded,
    () => {
      const family = ofKind('counter')
      return `${draw.pick(['topk', 'bottomk'])}${grouping(family)}(${draw.pick(['1', '2', '3.7', '0'])}, ${growth(family)})`
    },
    () => `${draw.pick(['topk', 'bottomk'])}(2, ${raw()})`,
    () => `${raw()} ${comparison()} ${draw.pick(['', 'bool '])}${threshold()}`,
    () => `${threshold()} ${comparison()} ${draw.pick(['', 'bool '])}${folded()}`,
    () => {
      const selector = raw()
      return `${selector} ${comparison()} ${draw.pick(['', 'bool '])}${selector.replace(/ offset.*$/, '')} offset 5m`
    },
    () => `histogram_quantile(${draw.pick(['0.5', '0.9', '0.95', '0.99', '-1', '2'])}, ${quantileOperand()})`,
    () => `${folded()} ${draw.pick(['*', '/', '+', '-'])} ${threshold()}`,
    () => `${draw.pick(['-', '+', ''])}(${folded()}) ^ ${draw.pick(['2', '0.5', '-1'])}`,
    () => `${raw()} % ${threshold()}`,
    () => {
      const family = ofKind('counter')
      const labels = [...family.labels.keys()].slice(0, 1).join(', ')
      const part = (): string => `sum by (${labels}) (rate(${select(family, draw)}[5m]))`
      return `${part()} ${draw.pick(['/', '*', '+'])} ${part()}`
    },
    () => `${draw.pick(['1.5', '2', '60'])} ${comparison()} bool ${draw.pick(['1.5', '3'])} ${draw.pick(['+', '*'])} 2`,
  ]

  function quantileOperand(): string {
    const family = ofKind('bucket')
    const labels = [...family.labels.keys()].filter(() => draw.below(2) === 0)
    return draw.pick([`sum by (${['le', ...labels].join(', ')}) (${growth(family)})`, growth(family)])
  }
}

function select(family: Family, draw: Draw): string {
  const matchers = [...family.labels].flatMap(([label, values]) => {
    const value = draw.pick(values)
    return draw.pick([
      [],
      [],
      [`${label}="${value}"`],
      [`${label}!="${value}"`],
      [`${label}=~"${value.slice(0, 2)}.*|x"`],
      [`${label}!~".*${value.slice(-2)}"`],
    ])
  })
  return matchers.length === 0 ? family.name : `${family.name}{${matchers.join(', ')}}`
}

/** Mulberry32: small, and the same on every machine. */
function drawFor(seed: number): Draw {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: (items) => {
      const [first] = items
      if (first === undefined) throw new Error('There is nothing to pick from.')
      return items[below(items.length)] ?? first
    },
  }
}
