import { compilePattern } from '../text/compile-pattern.ts'

/** The four ways a query compares a label with a text. */
export type MatchOperator = '=' | '!=' | '=~' | '!~'

/** One condition on a label; an absent label counts as the empty string. */
export interface LabelMatcher {
  readonly name: string
  readonly operator: MatchOperator
  readonly value: string
  readonly matches: (labelValue: string) => boolean
}

/** A matcher, or the reason why its regular expression is refused. */
export type MadeLabelMatcher =
  | { readonly kind: 'made'; readonly matcher: LabelMatcher }
  | { readonly kind: 'refused'; readonly problem: string }

/** Makes a matcher; regular expressions are anchored at both ends. */
export function makeLabelMatcher(name: string, operator: MatchOperator, value: string): MadeLabelMatcher {
  const made = (matches: (labelValue: string) => boolean): MadeLabelMatcher => ({
    kind: 'made',
    matcher: { name, operator, value, matches },
  })
  if (operator === '=') return made((text) => text === value)
  if (operator === '!=') return made((text) => text !== value)
  const pattern = compilePattern(value, { anchored: true })
  if (pattern.kind === 'refused') return pattern
  return operator === '=~' ? made((text) => pattern.matches(text)) : made((text) => !pattern.matches(text))
}
