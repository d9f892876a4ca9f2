import { sayIn, type Language } from '../report/index.ts'
import type { Outcome } from './conversation.ts'
import type { PlannedCall } from './planned-call.ts'
import type { Intent } from './prompt/read-prompt.ts'
import { isUnknownService } from './settle-service.ts'

const mostOthers = 3

/** A case about one service of a prompt that may name more. */
export type NamedServices = {
  readonly language: Language
  readonly intent: Intent
  readonly service: string
  /** Names already found to be no service. */
  readonly unknown: readonly string[]
}

/** Asks whether the other services a prompt names exist; only those that can hardly be anything but services. */
export function otherServiceCalls(named: NamedServices): readonly PlannedCall[] {
  return othersIn(named)
    .filter((name) => !named.unknown.includes(name))
    .map((name) => ({ id: idOf(name), tool: 'get_alert_details', arguments: { service: name } }))
}

/** Says which other services of a prompt were not diagnosed, and which of them are none. */
export function otherServiceGaps(named: NamedServices, outcomes: ReadonlyMap<string, Outcome>): readonly string[] {
  const say = sayIn(named.language)
  return othersIn(named).flatMap((name) => {
    if (named.unknown.includes(name) || isUnknownService(outcomes.get(idOf(name)))) {
      return [
        say(
          `Service “${name}” of the prompt: no such service is known here, so nothing of it was read.`,
          `提示中的服务“${name}”：此处没有这个服务，因此没有读取它的任何数据。`,
        ),
      ]
    }
    return outcomes.get(idOf(name))?.kind === 'success'
      ? [
          say(
            `Service “${name}” of the prompt: not diagnosed, this report is about ${named.service} only.`,
            `提示中的服务“${name}”：没有诊断，本报告只涉及 ${named.service}。`,
          ),
        ]
      : []
  })
}

function othersIn({ intent, service }: NamedServices): readonly string[] {
  return intent.certain.filter((name) => name.toLowerCase() !== service.toLowerCase()).slice(0, mostOthers)
}

function idOf(name: string): string {
  return `other-service:${name}`
}
