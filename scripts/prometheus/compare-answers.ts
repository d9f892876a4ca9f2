import { z } from 'zod'
import type { RangeAnswer } from './range-query.ts'

const tolerance = 1e-9

const matrix = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.number(), z.string()])),
      }),
    ),
  }),
})

type Series = ReadonlyMap<string, ReadonlyMap<number, number>>

/**
 * The first difference between the lab's and the real answer, or undefined: the same series, times, and values within 1e-9.
 *
 * With `tiesMayDiffer` only how often each value occurs at each time counts, as which of equal values a selection keeps changed
 * between versions. `le` labels are compared as numbers, since only version 3 writes them in one way. Two refusals are equal.
 */
export function compareAnswers(
  [lab, real]: readonly [RangeAnswer, RangeAnswer],
  options: { readonly tiesMayDiffer: boolean },
): string | undefined {
  if (lab.status !== 200 && lab.status === real.status) return undefined
  if (lab.status !== real.status) {
    return `status ${lab.status} (${shown(lab.body)}) instead of ${real.status} (${shown(real.body)})`
  }
  const [own, other] = [matrix.safeParse(lab.body), matrix.safeParse(real.body)]
  if (!own.success || !other.success) return `no matrix: ${shown(lab.body)} and ${shown(real.body)}`
  const read = options.tiesMayDiffer ? byRank : byLabels
  return differenceOf(read(own.data.data.result), read(other.data.data.result))
}

type Result = z.output<typeof matrix>['data']['result']

function byLabels(result: Result): Series {
  return new Map(
    result.map(({ metric, values }) => {
      const labels = Object.entries(metric).map(([name, value]) => [name, name === 'le' ? Number(value) : value])
      return [
        JSON.stringify(labels.toSorted(([one], [two]) => (String(one) < String(two) ? -1 : 1))),
        new Map(values.map(([time, text]) => [time, numberOf(text)])),
      ]
    }),
  )
}

function byRank(result: Result): Series {
  const atTimes = new Map<number, number[]>()
  for (const [time, text] of result.flatMap(({ values }) => values)) {
    atTimes.set(time, [...(atTimes.get(time) ?? []), numberOf(text)])
  }
  return new Map(
    [...atTimes].map(([time, values]) => {
      const sorted = values.toSorted((one, two) => one - two)
      return [`at ${time}`, new Map(sorted.map((value, rank) => [rank, value]))]
    }),
  )
}

function numberOf(text: string): number {
  return text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text)
}

function differenceOf(lab: Series, real: Series): string | undefined {
  for (const key of new Set([...lab.keys(), ...real.keys()])) {
    const [own, other] = [lab.get(key), real.get(key)]
    if (own === undefined || other === undefined)
      return `${key} only in ${own === undefined ? 'Prometheus' : 'the lab'}`
    for (const time of new Set([...own.keys(), ...other.keys()])) {
      const [one, two] = [own.get(time), other.get(time)]
      if (one === undefined || two === undefined || !close(one, two))
        return `${key} at ${time}: ${one} instead of ${two}`
    }
  }
  return undefined
}

function close(one: number, two: number): boolean {
  if (Object.is(one, two) || one === two) return true
  if (!Number.isFinite(one) || !Number.isFinite(two)) return false
  return Math.abs(one - two) <= tolerance * Math.max(Math.abs(one), Math.abs(two))
}

function shown(body: unknown): string {
  return JSON.stringify(body).slice(0, 300)
}
