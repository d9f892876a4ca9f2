import { sayIn, type Confidence } from '../../report/index.ts'
import { parseTime } from '../../sources/index.ts'
import type { DeploymentFact, Facts } from '../facts/facts.ts'
import { findSymptoms, symptomSources, type Symptoms } from './find-symptoms.ts'
import { seriousScore, type Hypothesis } from './hypothesis.ts'
import { speaksOf } from './same-thing.ts'
import { weighDatabase } from './weigh-database.ts'
import { weighDependencies } from './weigh-dependencies.ts'
import { weighDeployments } from './weigh-deployments.ts'
import { weighResources } from './weigh-resources.ts'
import { weighTraffic } from './weigh-traffic.ts'

const mostChangesTold = 4

/** The best explanation of the facts, how sure it is, and what else was weighed. */
export type Diagnosis = {
  readonly symptoms: Symptoms
  readonly leading: Hypothesis
  readonly confidence: Confidence
  readonly rivals: readonly Hypothesis[]
  readonly excluded: readonly Hypothesis[]
}

/** Weighs every cause against the facts. The same facts always give the same diagnosis. */
export function diagnose(facts: Facts): Diagnosis {
  const symptoms = findSymptoms(facts)
  const deployments = weighDeployments(facts, symptoms)
  const weighed = [
    ...deployments,
    ...weighDependencies(facts, symptoms, {
      behind: (upstream) => deploymentBehind(upstream, facts, deployments),
      atOnset: deployments.find(({ score }) => score >= seriousScore)?.subject ?? null,
    }),
    ...explainedByTraffic(
      [weighDatabase(facts, symptoms), weighTraffic(facts, symptoms), weighResources(facts, symptoms)].flatMap(
        (hypothesis) => hypothesis ?? [],
      ),
    ),
  ].toSorted((left, right) => right.score - left.score)
  const best = weighed[0]
  // Where no symptom could be measured, nothing can be set against it, so nothing is excluded.
  const measured = symptoms.onset !== null || facts.latency !== null || facts.errorRatio !== null
  const excluded = measured ? worthTelling(weighed.filter(({ score }) => score === 0)) : []
  if (symptoms.onset === null || onlyLogged(facts, symptoms) || best === undefined || best.score < 1) {
    return { symptoms, ...withoutCause(facts, symptoms), rivals: [], excluded }
  }
  const rivals = weighed.slice(1).filter(({ score }) => score > 0)
  return { symptoms, leading: best, confidence: confidenceIn(best, { rivals, facts, symptoms }), rivals, excluded }
}

/** More requests fill pools, CPU and memory too, so that these are no serious rivals of a surge that came no later. */
function explainedByTraffic(weighed: readonly Hypothesis[]): readonly Hypothesis[] {
  const surged = weighed.some(({ cause, score }) => cause === 'traffic_surge' && score >= seriousScore)
  if (!surged) return weighed
  return weighed.map((each) => (each.cause === 'traffic_surge' ? each : { ...each, score: Math.min(each.score, 2) }))
}

/** Whether error lines set in although latency and error ratio were measured and kept their level. */
function onlyLogged(facts: Facts, symptoms: Symptoms): boolean {
  return symptoms.onsetFrom === 'log' && facts.latency !== null && facts.errorRatio !== null
}

/** Of many deployments that are no cause only the last few, which somebody might suspect. */
function worthTelling(excluded: readonly Hypothesis[]): readonly Hypothesis[] {
  const changes = excluded.filter(({ cites }) => cites[0] === 'deployments')
  const told = changes.slice(-mostChangesTold)
  return excluded.filter((hypothesis) => !changes.includes(hypothesis) || told.includes(hypothesis))
}

/** The suspected deployment whose changes speak of the client of an upstream, `null` when there is none. */
function deploymentBehind(upstream: string, facts: Facts, weighed: readonly Hypothesis[]): string | null {
  const touches = ({ changes }: DeploymentFact) => speaksOf(changes.join('\n'), upstream)
  const suspected = weighed.filter(({ score }) => score >= seriousScore).map(({ subject }) => subject)
  return facts.deployments?.value.find((each) => suspected.includes(each.id) && touches(each))?.id ?? null
}

function confidenceIn(
  best: Hypothesis,
  context: { readonly rivals: readonly Hypothesis[]; readonly facts: Facts; readonly symptoms: Symptoms },
): Confidence {
  const rival = context.rivals.some(({ score }) => score >= Math.max(seriousScore, best.score - 2))
  if (context.symptoms.onsetFrom !== 'metric' || best.score < seriousScore) return 'low'
  const proven = best.link === 'mechanism' && best.agrees.length >= 2
  return proven && !rival && isComplete(context.facts) ? 'high' : 'medium'
}

/** Whether every source was read that could have shown another cause. Databases and upstreams not everybody has. */
function isComplete(facts: Facts): boolean {
  const needed = [
    facts.alert,
    facts.latency,
    facts.requestRate,
    facts.cpu,
    facts.memory,
    facts.errorLogs,
    facts.pods,
    facts.deployments,
  ]
  return needed.every((source) => source !== null) && facts.errorLogs?.value.truncated !== true
}

function withoutCause(
  facts: Facts,
  symptoms: Symptoms,
): { readonly leading: Hypothesis; readonly confidence: Confidence } {
  const say = sayIn(facts.language)
  const subject = facts.alert?.value.id ?? facts.service
  const measured = facts.latency !== null && facts.errorRatio !== null && seesTheTimeBefore(facts)
  const quiet = symptoms.onsetFrom !== 'metric' && measured && podsAreWell(facts)
  if (quiet) {
    return {
      leading: {
        cause: 'no_incident',
        subject,
        score: 0,
        agrees: [],
        link: 'time',
        because: onlyLogged(facts, symptoms)
          ? say(
              'latency and error ratio kept their level over the window, although error lines of a kind set in or multiplied.',
              '窗口内延迟和错误率保持平稳，尽管有一类错误日志出现或增多。',
            )
          : say('latency and error ratio kept their level over the window.', '窗口内延迟和错误率保持平稳。'),
        cites: ['latency', 'errors', 'logs', 'pods'],
      },
      confidence: isComplete(facts) && symptoms.onset === null ? 'high' : 'medium',
    }
  }
  const because =
    symptoms.onset === null
      ? withoutSymptom(facts)
      : say('nothing that was read explains the symptom.', '已读取的数据都不能解释该异常。')
  return {
    leading: {
      cause: 'unknown',
      subject: facts.service,
      score: 0,
      agrees: [],
      link: 'time',
      because,
      cites: ['latency', 'errors', 'logs'],
    },
    confidence: 'low',
  }
}

function withoutSymptom(facts: Facts): string {
  const say = sayIn(facts.language)
  const { read, unread } = symptomSources(facts)
  if (read.length === 0)
    return say(
      `nothing could be read that would show a symptom: no ${unread.join(', no ')}.`,
      `没有读到任何能显示异常的数据：缺少${unread.join('、')}。`,
    )
  const rest =
    unread.length === 0 ? '' : say(`, and there is no ${unread.join(' and no ')}`, `，并且缺少${unread.join('、')}`)
  return say(
    `what was read (${read.join(', ')}) shows no clear start of a symptom in the window${rest}.`,
    `已读取的数据（${read.join('、')}）在窗口内看不出异常的明确起点${rest}。`,
  )
}

/** Whether the series begin before the alert: without a level before it, a high level looks as even as a low one. */
function seesTheTimeBefore(facts: Facts): boolean {
  const first = facts.latency?.value[0]?.[0]
  const startedAt = parseTime(facts.alert?.value.startedAt ?? '')
  return first !== undefined && (startedAt === null || first <= startedAt - 3 * facts.stepSeconds)
}

function podsAreWell(facts: Facts): boolean {
  return facts.pods === null || facts.pods.value.pods.every(({ ready }) => ready)
}
