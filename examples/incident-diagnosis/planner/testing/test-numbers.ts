import type { Json } from '@fairlead/runtime'
import { formatTime, parseTime } from '../../sources/index.ts'
import { formatValue } from '../series/format-value.ts'
import type { Driven } from './test-driver.ts'

const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** The times and numbers of a report's evidence that do not stand in the result it cites. Only tests use it. */
export function wrongNumbersOf(driven: Driven): readonly string[] {
  const report = driven.report
  if (report === null) return ['there is no report']
  return report.evidence.flatMap(({ id, uri, statement }) => {
    const data = driven.evidence.get(uri)
    if (data === undefined) return [`${id}: no result under ${uri}`]
    return wrongIn(statement, data).map((token) => `${id}: ${token}`)
  })
}

/**
 * The times, numbers and ids of a report's other texts that stand in no result of its evidence; those of an excluded
 * cause must stand in what it cites. Ordinals and names of the text's own form do not count. Only tests use it.
 */
export function inventedNumbersOf(driven: Driven): readonly string[] {
  const { report } = driven
  if (report === null) return ['there is no report']
  const resultsOf = (ids: readonly string[]) =>
    report.evidence.flatMap(({ id, uri }) => (ids.includes(id) ? (driven.evidence.get(uri) ?? []) : []))
  const everything = resultsOf(report.evidence.map(({ id }) => id))
  return [
    ...wrongIn(report.conclusion.statement, everything),
    ...report.excluded.flatMap(({ because, evidence }) => wrongIn(because, resultsOf(evidence))),
    ...report.nextActions.flatMap(({ action, reason }) => wrongIn(`${action} ${reason}`, everything)),
  ]
}

function wrongIn(statement: string, data: Json): readonly string[] {
  const found = leavesOf(data)
  const texts = found.filter((leaf) => typeof leaf === 'string').join('\n')
  const numbers = new Set(
    found.flatMap((leaf) => (typeof leaf === 'number' ? [formatValue(leaf), formatTime(leaf)] : [])),
  )
  const times = statement.match(time) ?? []
  const rest = statement.replaceAll(time, ' ').match(/(?<![\w-])\d+(?:\.\d+)?/g) ?? []
  const ids = statement.replaceAll(time, ' ').match(/(?<![\w-])[A-Za-z][\w-]*\d[\w-]*/g) ?? []
  const named = ids.filter((id) => !/^p9\d$/i.test(id))
  return [...times.filter((each) => parseTime(each) !== null), ...rest, ...named].filter(
    (token) => !numbers.has(token) && !texts.includes(token),
  )
}

function leavesOf(data: Json): readonly (string | number)[] {
  if (typeof data === 'string' || typeof data === 'number') return [data]
  if (data === null || typeof data === 'boolean') return []
  return Object.values(data).flatMap((each: Json) => leavesOf(each))
}
