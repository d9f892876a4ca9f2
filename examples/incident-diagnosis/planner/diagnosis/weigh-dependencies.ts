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
  const { onset, errorSurges } = context.symptoms
  const base = { cause: 'dependency_failure', subject: upstream.name, link: 'mechanism', cites: ['upstreams'] } as const
  const rise = detectOnset(upstream.points, slower)
  if (rise === null) {
    return { ...base, score: 0, agrees: [], because: `calls to ${upstream.name} did not get slower.` }
  }
  const change = `calls to ${upstream.name} slowed from ${formatValue(rise.before)} s to ${formatValue(rise.after)} s at ${formatTime(rise.onset)}`
  if (onset === null || rise.onset > onset + 2 * facts.stepSeconds) {
    return { ...base, score: 0, agrees: [], because: `${change}, not before the service itself.` }
  }
  const deployment = context.view.behind(upstream.name)
  if (deployment !== null) {
    return {
      ...base,
      score: 0,
      agrees: [],
      because: `${change}, but ${deployment} changed how they are made.`,
      cites: ['upstreams', 'deployments'],
    }
  }
  const own = ownMeasure(upstream.name, facts)
  const ownCites = own === 'unknown' ? [] : (['upstreams-own'] as const)
  if (own === 'level' && context.view.atOnset !== null) {
    return {
      ...base,
      score: 0,
      agrees: [],
      because: `${change}, but by its own measure it did not get slower, and ${context.view.atOnset} finished just before.`,
      cites: ['upstreams', ...ownCites, 'deployments'],
    }
  }
  const together = coincide(rise.onset, onset, facts.stepSeconds)
  const logged = errorSurges.some(
    (surge) => speaksOf(surge.pattern.example, upstream.name) && coincide(surge.onset, rise.onset, facts.stepSeconds),
  )
  return {
    ...base,
    score: (together ? 4 : 2) + (logged ? 1 : 0) + (own === 'slower' ? 1 : own === 'level' ? -1 : 0),
    // Two measures of one upstream that contradict each other are no agreement.
    agrees: [...(together && own !== 'level' ? (['metric'] as const) : []), ...(logged ? (['log'] as const) : [])],
    because: `${change}${logged ? ', and error lines name it since then' : ''}${ownWords[own]}.`,
    cites: ['upstreams', ...ownCites, 'latency', 'errors', 'logs'],
  }
}

const ownWords = {
  slower: '; it got slower by its own measure too',
  level: '; by its own measure it did not get slower, so the way there may be the trouble',
  unknown: '',
} as const

function ownMeasure(upstream: string, facts: Facts): keyof typeof ownWords {
  const own = facts.upstreamsOwn?.value.find(({ name }) => name === upstream)
  if (own === undefined) return 'unknown'
  return detectOnset(own.points, slower) === null ? 'level' : 'slower'
}
