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
 * The times and numbers anywhere in a report's text that stand in no recorded result at all. Ordinals and names of
 * the text's own form do not count. Only tests use it.
 */
export function inventedNumbersOf(driven: Driven): readonly string[] {
  const { report } = driven
  if (report === null) return ['there is no report']
  const statements = [
    report.conclusion.statement,
    ...report.excluded.map(({ because }) => because),
    ...report.nextActions.map(({ action, reason }) => `${action} ${reason}`),
  ]
  const everything = [...driven.evidence.values()]
  return statements.flatMap((statement) => wrongIn(statement, everything))
}

function wrongIn(statement: string, data: Json): readonly string[] {
  const found = leavesOf(data)
  const texts = found.filter((leaf) => typeof leaf === 'string').join('\n')
  const numbers = new Set(
    found.flatMap((leaf) => (typeof leaf === 'number' ? [formatValue(leaf), formatTime(leaf)] : [])),
  )
  const times = statement.match(time) ?? []
  const rest = statement.replaceAll(time, ' ').match(/(?<![\w-])\d+(?:\.\d+)?/g) ?? []
  return [...times.filter((each) => parseTime(each) !== null), ...rest].filter(
    (token) => !numbers.has(token) && !texts.includes(token),
  )
}

function leavesOf(data: Json): readonly (string | number)[] {
  if (typeof data === 'string' || typeof data === 'number') return [data]
  if (data === null || typeof data === 'boolean') return []
  return Object.values(data).flatMap((each: Json) => leavesOf(each))
}
