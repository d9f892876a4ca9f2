import type { Labels } from '../metrics/labels.ts'

/** One log line: its exact time in nanoseconds since 1970, the labels of its stream, and its text. */
export interface LogEntry {
  readonly timestamp: bigint
  readonly labels: Labels
  readonly line: string
}
