import type { JsonObject } from '../json/json.ts'
import type { DataPart, FilePart, TextPart } from '../content/content-part.ts'
import type { CallRecord } from '../call/call-record.ts'

export type ResultItem = TextPart | DataPart | FilePart

/**
 * The seam of information-flow control. `conceal` may replace an item of a result by a reference before the model
 * sees it; `expand` turns references in arguments into values just before execution. An exception stops the call.
 */
export interface Labels {
  conceal(items: readonly ResultItem[], call: CallRecord): readonly ResultItem[] | Promise<readonly ResultItem[]>
  expand(args: JsonObject, call: CallRecord): JsonObject | Promise<JsonObject>
}
