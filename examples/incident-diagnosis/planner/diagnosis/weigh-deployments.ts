import { sayIn } from '../../report/index.ts'
import { formatTime, parseTime } from '../../sources/index.ts'
import type { DeploymentFact, Facts } from '../facts/facts.ts'
import { detectOnset } from '../series/detect-onset.ts'
import { slower } from '../series/rise-limits.ts'
import type { Symptoms } from './find-symptoms.ts'
import type { EvidenceKey, Hypothesis, TimedKind } from './hypothesis.ts'
import { componentsIn, speaksOf } from './same-thing.ts'
import { beganWith } from './time-order.ts'

const nearSteps = 5
const farthestSeconds = 30 * 60

/** Weighs every deployment and configuration change of the service that was read. One after the onset scores 0. */
export function weighDeployments(facts: Facts, symptoms: Symptoms): readonly Hypothesis[] {
  const own = (facts.deployments?.value ?? []).filter(({ service }) => service === facts.service)
  return own.map((deployment) => weigh(deployment, facts, symptoms))
}

/** The components (upstreams, clients) a deployment's changes name that misbehave since the onset. */
export function troubledPartsOf(deployment: DeploymentFact, facts: Facts, symptoms: Symptoms): readonly string[] {
  const changes = deployment.changes.join('\n')
  const slow = slowUpstreams(facts)
  const own = new RegExp(`^${facts.service.replaceAll(/[^A-Za-z0-9]/g, '.')}$`, 'i')
  const logged = symptoms.errorSurges
    .flatMap(({ pattern }) => componentsIn(pattern.example))
    // A service that names itself in its log lines and release notes says nothing about what is wrong in it.
    .filter((component) => !own.test(component))
  return [...new Set([...logged, ...slow])].filter((component) => speaksOf(changes, component))
}

function slowUpstreams(facts: Facts): readonly string[] {
  return (facts.upstreams?.value ?? [])
    .filter(({ points }) => detectOnset(points, slower) !== null)
    .map(({ name }) => name)
}

function weigh(deployment: DeploymentFact, facts: Facts, symptoms: Symptoms): Hypothesis {
  const say = sayIn(facts.language)
  const cause = deployment.kind === 'code' ? 'deployment' : 'config_change'
  const base = { cause, subject: deployment.id, link: 'time', cites: ['deployments'] } as const
  const finished = parseTime(deployment.finishedAt) ?? 0
  const { onset } = symptoms
  const what = say(
    `${deployment.id} of ${deployment.service} finished at ${deployment.finishedAt}`,
    `${deployment.service} 的 ${deployment.id} 在 ${deployment.finishedAt} 完成`,
  )
  if (onset === null)
    return {
      ...base,
      score: 0,
      agrees: [],
      because: say(`${what}, but nothing got worse in the window.`, `${what}，但窗口内没有指标变差。`),
    }
  const onsetText = formatTime(onset)
  if (finished > onset) {
    return {
      ...base,
      cites: ['deployments', 'latency', 'errors', 'logs'],
      score: 0,
      agrees: [],
      because: say(
        `${what}, after the onset at ${onsetText}; a cause comes before its effect.`,
        `${what}，晚于异常开始的 ${onsetText}；原因不会晚于结果。`,
      ),
    }
  }
  if (onset - finished > farthestSeconds) {
    return {
      ...base,
      cites: ['deployments', 'latency', 'errors', 'logs'],
      score: 0,
      agrees: [],
      because: say(`${what}, long before the onset at ${onsetText}.`, `${what}，远早于异常开始的 ${onsetText}。`),
    }
  }
  const agrees = agreeingKinds(finished, facts, symptoms)
  const parts = troubledPartsOf(deployment, facts, symptoms)
  const together = beganWith(finished, onset, facts.stepSeconds)
  const near = onset - finished <= nearSteps * facts.stepSeconds
  const score = (together ? 3 : near ? 2 : 1) + (agrees.includes('log') ? 1 : 0) + (parts.length > 0 ? 2 : 0)
  const closeness = together
    ? say('within one step of the onset', '与异常开始的时间一致，异常始于')
    : near
      ? say('a few steps before the onset', '略早于异常开始，异常始于')
      : say('some time before the onset', '早于异常开始，异常始于')
  const named =
    parts.length === 0
      ? say(
          '; its changes name nothing that is in trouble, so only the time speaks for it',
          '；变更内容没有提到出问题的部分，只有时间上的吻合',
        )
      : say(
          `, and its changes name ${parts.join(' and ')}, in trouble since then`,
          `；变更内容提到 ${parts.join('、')}，它们自那时起出现异常`,
        )
  const cites: readonly EvidenceKey[] = [
    'deployments',
    'latency',
    'errors',
    'logs',
    ...(parts.length > 0 ? (['upstreams'] as const) : []),
  ]
  const link = parts.length > 0 ? 'mechanism' : 'time'
  return {
    ...base,
    cites,
    score,
    agrees,
    link,
    because: say(`${what}, ${closeness} at ${onsetText}${named}.`, `${what}，${closeness} ${onsetText}${named}。`),
  }
}

function agreeingKinds(finished: number, facts: Facts, symptoms: Symptoms): readonly TimedKind[] {
  const kinds: TimedKind[] = []
  const measured = [symptoms.latency, symptoms.errorRatio].some(
    (rise) => rise !== null && beganWith(finished, rise.onset, facts.stepSeconds),
  )
  if (measured) kinds.push('metric')
  if (symptoms.errorSurges.some(({ onset }) => beganWith(finished, onset, facts.stepSeconds))) kinds.push('log')
  return kinds
}
