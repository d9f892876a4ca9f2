import type { Expression } from './ast.ts'
import { syntaxError } from './promql-error.ts'

const maximumDepth = 500

/**
 * Throws a PromqlError when an expression is more than 500 levels deep; each term of a chain such as `a + b + c` is a level.
 *
 * It does not call itself, so that it can look at what would be too deep for those that do.
 */
export function checkDepth(expression: Expression): void {
  let level: readonly Expression[] = [expression]
  for (let depth = 0; level.length > 0; depth += 1) {
    const [first] = level
    if (depth > maximumDepth && first !== undefined) {
      const expected = `at most ${maximumDepth} levels of nesting and terms in a row`
      throw syntaxError({ offset: first.offset, expected, found: 'more' })
    }
    level = level.flatMap((each) => partsOf(each))
  }
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'number':
    case 'string':
    case 'vector-selector':
    case 'range-selector':
      return []
    case 'call':
      return expression.arguments
    case 'aggregation':
      return expression.parameter === undefined ? [expression.operand] : [expression.parameter, expression.operand]
    case 'binary':
      return [expression.left, expression.right]
    case 'sign':
      return [expression.operand]
    case 'parentheses':
      return [expression.inner]
    default:
      return expression satisfies never
  }
}
