import type { LabelMatcher } from '../metrics/label-matcher.ts'
import type { AggregationOperator, BinaryOperator, FunctionName } from './supported-language.ts'

/** A parsed PromQL expression; `offset` is where its text begins, `range` is in milliseconds. */
export type Expression =
  | { readonly kind: 'number'; readonly offset: number; readonly value: number }
  | { readonly kind: 'string'; readonly offset: number; readonly value: string }
  | VectorSelector
  | RangeSelector
  | {
      readonly kind: 'call'
      readonly offset: number
      readonly name: FunctionName
      readonly arguments: readonly Expression[]
    }
  | {
      readonly kind: 'aggregation'
      readonly offset: number
      readonly operator: AggregationOperator
      readonly grouping: Grouping
      /** How many series of a group to keep, for the aggregations that select. */
      readonly parameter?: Expression
      readonly operand: Expression
    }
  | {
      readonly kind: 'binary'
      readonly offset: number
      readonly operator: BinaryOperator
      /** Whether a comparison gives 0 and 1 and filters nothing. */
      readonly returnsBool: boolean
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'sign'; readonly offset: number; readonly sign: '+' | '-'; readonly operand: Expression }
  | { readonly kind: 'parentheses'; readonly offset: number; readonly inner: Expression }

/** An instant vector selector: series whose labels satisfy all matchers, as they were `shift` milliseconds before the evaluation time. */
export interface VectorSelector {
  readonly kind: 'vector-selector'
  readonly offset: number
  readonly matchers: readonly LabelMatcher[]
  readonly shift: number
}

/** A range vector selector: the samples of the last `range` milliseconds. */
export interface RangeSelector {
  readonly kind: 'range-selector'
  readonly offset: number
  readonly selector: VectorSelector
  readonly range: number
}

/** Which labels an aggregation keeps; `by` with no labels puts everything into one group. */
export type Grouping =
  | { readonly kind: 'by'; readonly labels: readonly string[] }
  | { readonly kind: 'without'; readonly labels: readonly string[] }
