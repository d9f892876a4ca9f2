import { clientName } from './client-name.ts'
import type { Random } from './random.ts'
import type { LogSource } from './scenario.ts'
import { constant, startingAt } from './signal.ts'

/** Who writes log lines, and when the client's time-outs begin. */
export interface DeployRegressionLogNames {
  readonly service: string
  readonly upstream: string
  readonly bystander: string
  readonly onset: number
  readonly podNames: (service: string) => readonly string[]
}

/** The log of a regressed client: its time-outs and retries from the onset on, over the ordinary noise of all services. */
export function deployRegressionLogs(names: DeployRegressionLogNames): readonly LogSource[] {
  const { service, upstream, bystander, onset } = names
  const client = clientName(upstream)
  const from = (name: string, source: Omit<LogSource, 'service' | 'podNames'>): LogSource => ({
    ...source,
    service: name,
    podNames: names.podNames(name),
  })
  return [
    from(service, {
      level: 'error',
      rate: startingAt(onset + 5, constant(0.35)),
      line: (random) =>
        `${client} timeout: POST /v1/charges to ${upstream} gave no answer within 600 ms, attempt ${random.pick([1, 2, 3, 4])} of 4 order=${orderId(random)}`,
    }),
    from(service, {
      level: 'warn',
      rate: startingAt(onset + 5, constant(0.12)),
      line: (random) => `${client} retry budget low: ${random.pick([71, 78, 84, 90, 95])}% used in the last 10 s`,
    }),
    from(service, {
      level: 'info',
      rate: constant(0.15),
      line: (random) => `order accepted order=${orderId(random)} items=${1 + Math.floor(random.next() * 6)}`,
    }),
    from(service, {
      level: 'warn',
      rate: constant(0.008),
      line: (random) => `cart expired before checkout order=${orderId(random)}`,
    }),
    from(service, {
      level: 'error',
      rate: constant(0.002),
      line: (random) => `receipt mail refused by relay: 451 try again later order=${orderId(random)}`,
    }),
    from(upstream, {
      level: 'info',
      rate: constant(0.06),
      line: (random) => `charge settled order=${orderId(random)} in ${20 + Math.floor(random.next() * 90)} ms`,
    }),
    from(bystander, {
      level: 'info',
      rate: constant(0.08),
      line: (random) => `stock reserved order=${orderId(random)} warehouse=${random.pick(['ber-1', 'ber-2', 'ham-1'])}`,
    }),
    from(bystander, {
      level: 'warn',
      rate: constant(0.01),
      line: (random) => `warehouse list refreshed late by ${1 + Math.floor(random.next() * 9)} s`,
    }),
  ]
}

function orderId(random: Random): string {
  return `o-${Math.floor(random.next() * 0xffffff)
    .toString(16)
    .padStart(6, '0')}`
}
