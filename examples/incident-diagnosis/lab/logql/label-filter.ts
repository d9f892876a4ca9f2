import type { LabelMatcher } from '../metrics/label-matcher.ts'
import { labelValue } from '../metrics/labels.ts'
import { parseGoFloat } from '../text/parse-go-float.ts'
import { errorLabel, withEntries } from './extract-json.ts'
import type { Stage } from './log-query.ts'

/** The ways a label filter compares a label with a number. */
export const numberComparisons = ['==', '=', '!=', '>=', '<=', '>', '<'] as const

/** One way to compare a label with a number. */
export type NumberComparison = (typeof numberComparisons)[number]

/** The stage `| name="text"` and its kin; an absent label counts as the empty text. */
export function textFilter(matcher: LabelMatcher): Stage {
  return (_, labels) => (matcher.matches(labelValue(labels, matcher.name)) ? labels : undefined)
}

/**
 * The stage `| name >= 500` and its kin. As in Loki a line without the label is dropped, and one whose label is no number stays with
 * the label `__error__="LabelFilterErr"`.
 */
export function numberFilter(name: string, comparison: NumberComparison, number: number): Stage {
  return (_, labels) => {
    if (labelValue(labels, errorLabel) !== '') return labels
    const text = labelValue(labels, name)
    if (text === '') return undefined
    const value = parseGoFloat(text)
    if (value === undefined) return withEntries(labels, [[errorLabel, 'LabelFilterErr']])
    return holds(comparison, value, number) ? labels : undefined
  }
}

function holds(comparison: NumberComparison, value: number, number: number): boolean {
  switch (comparison) {
    case '==':
    case '=':
      return value === number
    case '!=':
      return value !== number
    case '>':
      return value > number
    case '>=':
      return value >= number
    case '<':
      return value < number
    case '<=':
      return value <= number
    default:
      return comparison satisfies never
  }
}
