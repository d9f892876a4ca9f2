import { PromqlError } from './promql-error.ts'

/** The aggregation operators this lab evaluates. */
const supportedAggregations = ['sum', 'avg', 'max', 'min', 'topk', 'bottomk'] as const

/** One aggregation operator this lab evaluates. */
export type AggregationOperator = (typeof supportedAggregations)[number]

/** The functions this lab evaluates. */
const supportedFunctions = ['rate', 'increase', 'histogram_quantile'] as const

/** One function this lab evaluates. */
export type FunctionName = (typeof supportedFunctions)[number]

const arithmeticOperators = ['+', '-', '*', '/', '%', '^'] as const
const comparisonOperators = ['==', '!=', '>', '<', '>=', '<='] as const

/** One arithmetic operator this lab evaluates. */
export type ArithmeticOperator = (typeof arithmeticOperators)[number]

/** One comparison operator this lab evaluates. */
export type ComparisonOperator = (typeof comparisonOperators)[number]

/** One binary operator this lab evaluates. */
export type BinaryOperator = ArithmeticOperator | ComparisonOperator

/** Aggregation operators of PromQL this lab does not evaluate. */
export const knownAggregations: ReadonlySet<string> = new Set(
  'count group stddev stdvar count_values quantile limitk limit_ratio'.split(' '),
)

/** Functions of PromQL 3 this lab does not evaluate. */
export const knownFunctions: ReadonlySet<string> = new Set(
  `abs absent absent_over_time acos acosh asin asinh atan atanh avg_over_time ceil changes clamp clamp_max clamp_min cos cosh
  count_over_time day_of_month day_of_week day_of_year days_in_month deg delta deriv double_exponential_smoothing end exp
  first_over_time floor histogram_avg histogram_count histogram_fraction histogram_quantiles histogram_stddev histogram_stdvar
  histogram_sum holt_winters hour idelta info irate label_join label_replace last_over_time ln log10 log2 mad_over_time
  max_of max_over_time min_of min_over_time minute month pi predict_linear present_over_time quantile_over_time rad range resets
  round scalar sgn sin sinh sort sort_by_label sort_by_label_desc sort_desc sqrt start start_timestamp stddev_over_time
  stdvar_over_time step sum_over_time tan tanh time timestamp ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time
  ts_of_min_over_time vector year`.split(/\s+/),
)

/** The error for valid PromQL that is beyond this lab; names it and lists what the lab has. */
export function unsupported(what: string): PromqlError {
  return new PromqlError(
    'PROMQL_UNSUPPORTED',
    `${what} is not supported by this lab; supported: selectors with = != =~ !~, ranges such as [5m], offset, ` +
      `the functions ${supportedFunctions.join(', ')}, the aggregations ${supportedAggregations.join(', ')} with by or without, ` +
      `the operators ${[...arithmeticOperators, ...comparisonOperators].join(' ')}, and bool`,
  )
}

/** Whether a word is a function this lab evaluates. */
export function isSupportedFunction(name: string): name is FunctionName {
  return supportedFunctions.some((supported) => supported === name)
}

/** Whether a lower-case word is an aggregation this lab evaluates. */
export function isSupportedAggregation(name: string): name is AggregationOperator {
  return supportedAggregations.some((supported) => supported === name)
}

/** Whether a symbol is a binary operator this lab evaluates. */
export function isSupportedOperator(symbol: string): symbol is BinaryOperator {
  return [...arithmeticOperators, ...comparisonOperators].some((supported) => supported === symbol)
}

/** Whether an operator compares. */
export function isComparison(operator: BinaryOperator): operator is ComparisonOperator {
  return comparisonOperators.some((comparison) => comparison === operator)
}
