import type { CallRecord } from '../call/call-record.ts'
import type { Envelope } from '../call/envelope.ts'
import type { ResultItem } from './labels.ts'

/** Turns a call's outcome into what the model sees. `items` are the normalised content of a successful result. */
export interface ObservationMapper {
  map(
    envelope: Envelope,
    items: readonly ResultItem[],
    call: CallRecord,
  ): readonly ResultItem[] | Promise<readonly ResultItem[]>
}
