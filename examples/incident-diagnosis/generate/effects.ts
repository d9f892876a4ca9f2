import type { Deployment, LogSource, Pod, ServiceBehaviour } from './scenario.ts'

/** What a trouble or a decoy does to a quiet incident: changed behaviour, further lines and changes, changed pods. */
export interface Effects {
  readonly own?: Partial<ServiceBehaviour>
  readonly upstreamOwn?: Partial<ServiceBehaviour>
  readonly logs?: readonly Omit<LogSource, 'service' | 'podNames'>[]
  readonly deployments?: readonly Deployment[]
  readonly pod?: (pod: Pod, index: number) => Pod
}
