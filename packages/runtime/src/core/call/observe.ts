import type { ObservationMapper } from '../ports/observation-mapper.ts'
import type { ResultItem } from '../ports/labels.ts'
import { sentenceFor } from './error-code.ts'

/** What core shows a model of one result at most, in characters of JSON; the rest is in the evidence. */
export const observationBudget = 60_000

/**
 * The direct default: a success is shown as it is, up to the budget; an error as its code, one safe sentence and the
 * author's or validator's own words for the model. Nothing of an exception is ever shown.
 */
export const directObservation: ObservationMapper = {
  map(envelope, items) {
    if (envelope.status === 'error')
      return [{ kind: 'text', text: errorText(envelope.errorCode ?? 'INTERNAL', envelope.summary) }]
    const size = sizeOf(items)
    if (size <= observationBudget) return items
    const where = envelope.evidenceUri === undefined ? '' : ` The full result is kept as ${envelope.evidenceUri}.`
    return [
      {
        kind: 'text',
        text: `${envelope.summary}\nThe result was not shown: it has ${size} characters, the limit is ${observationBudget}.${where}`,
      },
    ]
  },
}

/** One line for the model: the code, what it may do next, and the particulars where they add something. */
function errorText(code: string, particulars: string): string {
  const sentence = sentenceFor(code)
  return particulars === '' || particulars === sentence
    ? `${code}: ${sentence}`
    : `${code}: ${particulars}\n${sentence}`
}

/** Characters the items cost a model: text as it is, data as JSON, files by their base64 length. */
export function sizeOf(items: readonly ResultItem[]): number {
  let size = 0
  for (const item of items) {
    switch (item.kind) {
      case 'text':
        size += item.text.length
        break
      case 'data':
        size += JSON.stringify(item.data).length
        break
      case 'file':
        // Images and files are priced by providers in their own way; they never count against the text budget.
        break
      default:
        item satisfies never
    }
  }
  return size
}
