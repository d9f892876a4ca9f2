import { causeName, sayIn, type Conclusion, type Say } from '../../report/index.ts'
import { formatTime } from '../../sources/index.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import type { Facts } from '../facts/facts.ts'
import { formatValue } from '../series/format-value.ts'

/** The conclusion of a diagnosis in one or two sentences. */
export function conclude(facts: Facts, diagnosis: Diagnosis): Conclusion {
  const { leading, confidence } = diagnosis
  return { cause: leading.cause, subject: leading.subject, confidence, statement: statementOf(facts, diagnosis) }
}

function statementOf(facts: Facts, diagnosis: Diagnosis): string {
  const say = sayIn(facts.language)
  const { leading, rivals } = diagnosis
  const { service } = facts
  switch (leading.cause) {
    case 'no_incident':
      return say(
        `No incident is visible in ${service}: ${leading.because}`,
        `${service} 没有可见的事故：${leading.because}`,
      )
    case 'unknown':
      return say(
        `The cause of the incident in ${service} is unknown: ${leading.because}`,
        `${service} 的异常原因未知：${leading.because}`,
      )
    default: {
      const named = rivals
        .slice(0, mostRivals)
        .map((rival) => `${causeName(rival.cause, facts.language).toLowerCase()} (${rival.subject})`)
      const other =
        named.length === 0 ? '' : say(` Not ruled out: ${named.join('; ')}.`, `尚未排除：${named.join('；')}。`)
      const [suspected, suspectedInChinese] = suspicion[diagnosis.confidence]
      const accused = accusation(diagnosis, service, say)
      const symptom = symptomText(diagnosis, say)
      return say(
        `${suspected} that ${accused}: ${symptom}; ${leading.because}${other}`,
        `${suspectedInChinese}${accused}：${symptom}；${leading.because}${other}`,
      )
    }
  }
}

const mostRivals = 3

const suspicion = {
  high: ['Strong suspicion', '高度怀疑'],
  medium: ['Suspicion', '怀疑'],
  low: ['Weak suspicion', '略有怀疑'],
} as const

function accusation({ leading, symptoms }: Diagnosis, service: string, say: Say): string {
  const regression =
    symptoms.latency === null ? say('error regression', '错误率回归') : say('latency regression', '延迟回归')
  switch (leading.cause) {
    case 'deployment':
    case 'config_change':
      return say(
        `${leading.subject} introduced the ${regression} of ${service}`,
        ` ${leading.subject} 引入了 ${service} 的${regression}`,
      )
    case 'dependency_failure':
      return say(
        `${service} waits for ${leading.subject}, an upstream that got slow or hard to reach`,
        ` ${service} 在等待变慢或难以访问的上游 ${leading.subject}`,
      )
    case 'traffic_surge':
      return say(`a surge of traffic overloaded ${service}`, `流量突增使 ${service} 过载`)
    case 'database_saturation':
      return say(`${service} ran out of database connections`, ` ${service} 的数据库连接耗尽`)
    case 'resource_exhaustion':
      return say(`the pods of ${service} ran out of CPU or memory`, ` ${service} 的 Pod 耗尽了 CPU 或内存`)
    case 'no_incident':
    case 'unknown':
      return say(`nothing is wrong with ${service}`, ` ${service} 没有问题`)
    default:
      return leading.cause satisfies never
  }
}

function symptomText({ symptoms }: Diagnosis, say: Say): string {
  const { latency, errorRatio, onset } = symptoms
  if (latency !== null) {
    return say(
      `P95 latency rose from ${formatValue(latency.before)} s to ${formatValue(latency.after)} s at ${formatTime(latency.onset)}`,
      `P95 延迟在 ${formatTime(latency.onset)} 从 ${formatValue(latency.before)} 秒升至 ${formatValue(latency.after)} 秒`,
    )
  }
  if (errorRatio !== null) {
    return say(
      `the ratio of failed requests rose from ${formatValue(errorRatio.before)} to ${formatValue(errorRatio.after)} at ${formatTime(errorRatio.onset)}`,
      `错误率在 ${formatTime(errorRatio.onset)} 从 ${formatValue(errorRatio.before)} 升至 ${formatValue(errorRatio.after)}`,
    )
  }
  return onset === null
    ? say('no symptom was measured', '没有测到异常')
    : say(`error lines set in at ${formatTime(onset)}`, `错误日志从 ${formatTime(onset)} 开始出现`)
}
