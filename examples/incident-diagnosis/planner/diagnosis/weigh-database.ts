import { sayIn } from '../../report/index.ts'
import { formatTime } from '../../sources/index.ts'
import type { Facts } from '../facts/facts.ts'
import { formatValue } from '../series/format-value.ts'
import { peakOf } from '../series/series.ts'
import type { Symptoms } from './find-symptoms.ts'
import type { Hypothesis } from './hypothesis.ts'
import { coincide } from './time-order.ts'

const saturated = 0.95
const aboutThePool = /\b(?:connections?|pool|database|db)\b/i

/** Weighs the database connections: saturated when nearly all are in use for several samples from about the onset. */
export function weighDatabase(facts: Facts, symptoms: Symptoms): Hypothesis | null {
  const limit = facts.databaseMax?.value.at(-1)?.[1]
  const used = facts.databaseInUse?.value ?? []
  const peak = peakOf(used)
  if (limit === undefined || peak === undefined) return null
  const say = sayIn(facts.language)
  const base = {
    cause: 'database_saturation',
    subject: say(`database connections of ${facts.service}`, `${facts.service} 的数据库连接池`),
    link: 'mechanism',
    cites: ['database', 'database-limit'],
  } as const
  const level = say(
    `at most ${formatValue(peak[1])} of ${formatValue(limit)} connections were in use`,
    `数据库连接最多用到 ${formatValue(peak[1])} 个，上限为 ${formatValue(limit)} 个`,
  )
  const full = used.filter(([, value]) => value >= saturated * limit)
  const first = full[0]
  if (first === undefined || full.length < 3)
    return { ...base, score: 0, agrees: [], because: say(`${level}.`, `${level}。`) }
  const since = say(
    `${level}, the limit was reached at ${formatTime(first[0])}`,
    `${level}，在 ${formatTime(first[0])} 达到上限`,
  )
  if (symptoms.onset === null || first[0] > symptoms.onset + 2 * facts.stepSeconds) {
    return {
      ...base,
      score: 0,
      agrees: [],
      because: say(`${since}, not before the onset.`, `${since}，并不早于异常开始。`),
    }
  }
  const together = coincide(first[0], symptoms.onset, facts.stepSeconds)
  const logged = symptoms.errorSurges.some(
    ({ pattern, onset }) => aboutThePool.test(pattern.example) && coincide(onset, first[0], facts.stepSeconds),
  )
  return {
    ...base,
    score: (together ? 5 : 2) + (logged ? 2 : 0),
    agrees: [...(together ? (['metric'] as const) : []), ...(logged ? (['log'] as const) : [])],
    because: say(
      `${since}${logged ? ', and error lines speak of connections since then' : ''}.`,
      `${since}${logged ? '，错误日志此后提到连接' : ''}。`,
    ),
    cites: ['database', 'database-limit', 'latency', 'errors', 'logs'],
  }
}
