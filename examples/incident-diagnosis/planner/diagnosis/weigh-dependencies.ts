import { sayIn } from '../../report/index.ts'
import { formatTime } from '../../sources/index.ts'
import type { Facts, UpstreamFact } from '../facts/facts.ts'
import { detectOnset } from '../series/detect-onset.ts'
import { formatValue } from '../series/format-value.ts'
import { slower } from '../series/rise-limits.ts'
import type { Symptoms } from './find-symptoms.ts'
import type { Hypothesis } from './hypothesis.ts'
import { speaksOf } from './same-thing.ts'
import { coincide } from './time-order.ts'

/** What the deployments say about an upstream's slowness: which one changed the calls to it, and which began with it. */
export type DeploymentView = {
  readonly behind: (upstream: string) => string | null
  readonly atOnset: string | null
}

/**
 * Weighs every upstream that got slow with the service. Slowness that comes from this side of the wire is no failure
 * of the upstream: a deployment changed how it is called, or it began with a deployment and the upstream itself
 * measures nothing.
 */
export function weighDependencies(facts: Facts, symptoms: Symptoms, view: DeploymentView): readonly Hypothesis[] {
  return (facts.upstreams?.value ?? []).map((upstream) => weigh(upstream, facts, { symptoms, view }))
}

function weigh(
  upstream: UpstreamFact,
  facts: Facts,
  context: { readonly symptoms: Symptoms; readonly view: DeploymentView },
): Hypothesis {
  const say = sayIn(facts.language)
  const { onset, errorSurges } = context.symptoms
  const base = { cause: 'dependency_failure', subject: upstream.name, link: 'mechanism', cites: ['upstreams'] } as const
  const rise = detectOnset(upstream.points, slower)
  if (rise === null) {
    return {
      ...base,
      score: 0,
      agrees: [],
      because: say(`calls to ${upstream.name} did not get slower.`, `对 ${upstream.name} 的调用没有变慢。`),
    }
  }
  const change = say(
    `calls to ${upstream.name} slowed from ${formatValue(rise.before)} s to ${formatValue(rise.after)} s at ${formatTime(rise.onset)}`,
    `对 ${upstream.name} 的调用在 ${formatTime(rise.onset)} 从 ${formatValue(rise.before)} 秒变慢到 ${formatValue(rise.after)} 秒`,
  )
  if (onset === null || rise.onset > onset + 2 * facts.stepSeconds) {
    return {
      ...base,
      score: 0,
      agrees: [],
      because: say(`${change}, not before the service itself.`, `${change}，并不早于服务自身变慢。`),
    }
  }
  const own = ownMeasure(upstream.name, facts)
  const deployment = context.view.behind(upstream.name)
  // An upstream that is slow by its own measure has a trouble of its own, whatever changed on this side.
  if (deployment !== null && own !== 'slower') {
    return {
      ...base,
      score: 0,
      agrees: [],
      because: say(
        `${change}, but ${deployment} changed how they are made.`,
        `${change}，但 ${deployment} 改变了调用方式。`,
      ),
      cites: ['upstreams', 'deployments'],
    }
  }
  const ownCites = own === 'unknown' ? [] : (['upstreams-own'] as const)
  if (own === 'level' && context.view.atOnset !== null) {
    return {
      ...base,
      score: 0,
      agrees: [],
      because: say(
        `${change}, but by its own measure it did not get slower, and ${context.view.atOnset} finished just before.`,
        `${change}，但它自身的指标没有变慢，而 ${context.view.atOnset} 刚好在此前完成。`,
      ),
      cites: ['upstreams', ...ownCites, 'deployments'],
    }
  }
  const together = coincide(rise.onset, onset, facts.stepSeconds)
  const logged = errorSurges.some(
    (surge) => speaksOf(surge.pattern.example, upstream.name) && coincide(surge.onset, rise.onset, facts.stepSeconds),
  )
  return {
    ...base,
    score:
      (together ? 4 : 2) +
      (logged ? 1 : 0) +
      (own === 'slower' ? (deployment === null ? 1 : 2) : own === 'level' ? -1 : 0),
    // Two measures of one upstream that contradict each other are no agreement.
    agrees: [...(together && own !== 'level' ? (['metric'] as const) : []), ...(logged ? (['log'] as const) : [])],
    because: say(
      `${change}${logged ? ', and error lines name it since then' : ''}${ownWords[own][0]}.`,
      `${change}${logged ? '，错误日志此后提到它' : ''}${ownWords[own][1]}。`,
    ),
    cites: ['upstreams', ...ownCites, 'latency', 'errors', 'logs'],
  }
}

const ownWords = {
  slower: ['; it got slower by its own measure too', '；它自身的指标也变慢了'],
  level: [
    '; by its own measure it did not get slower, so the way there may be the trouble',
    '；它自身的指标没有变慢，问题可能在调用路径上',
  ],
  unknown: ['', ''],
} as const

function ownMeasure(upstream: string, facts: Facts): keyof typeof ownWords {
  const own = facts.upstreamsOwn?.value.find(({ name }) => name === upstream)
  if (own === undefined) return 'unknown'
  return detectOnset(own.points, slower) === null ? 'level' : 'slower'
}
