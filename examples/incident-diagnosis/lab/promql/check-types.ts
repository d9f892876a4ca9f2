import type { Expression } from './ast.ts'
import { syntaxError } from './promql-error.ts'
import { isComparison } from './supported-language.ts'
import type { FunctionName } from './supported-language.ts'

/** What an expression evaluates to, in Prometheus' words. */
export type ValueType = 'scalar' | 'string' | 'instant vector' | 'range vector'

const parameterTypes: Readonly<Record<FunctionName, readonly ValueType[]>> = {
  rate: ['range vector'],
  increase: ['range vector'],
  histogram_quantile: ['scalar', 'instant vector'],
}

/** The type of an expression, without a look at its parts' types. */
export function valueType(expression: Expression): ValueType {
  switch (expression.kind) {
    case 'number':
      return 'scalar'
    case 'string':
      return 'string'
    case 'vector-selector':
    case 'aggregation':
    case 'call':
      return 'instant vector'
    case 'range-selector':
      return 'range vector'
    case 'binary':
      return valueType(expression.left) === 'scalar' && valueType(expression.right) === 'scalar'
        ? 'scalar'
        : 'instant vector'
    case 'sign':
      return valueType(expression.operand)
    case 'parentheses':
      return valueType(expression.inner)
    default:
      return expression satisfies never
  }
}

/** Throws a syntax error for an argument or operand of the wrong type or number, as Prometheus refuses them when it parses. */
export function checkTypes(expression: Expression): void {
  const require = (part: Expression, allowed: readonly ValueType[], where: string): void => {
    checkTypes(part)
    const type = valueType(part)
    if (!allowed.includes(type)) {
      throw syntaxError({ offset: part.offset, expected: `${allowed.join(' or ')} ${where}`, found: type })
    }
  }
  switch (expression.kind) {
    case 'number':
    case 'string':
    case 'vector-selector':
    case 'range-selector':
      return
    case 'parentheses':
      return checkTypes(expression.inner)
    case 'sign':
      return require(expression.operand, ['scalar', 'instant vector'], 'behind a sign')
    case 'aggregation':
      if (expression.parameter !== undefined) {
        require(expression.parameter, ['scalar'], `as the first argument of ${expression.operator}`)
      }
      return require(expression.operand, ['instant vector'], `as the argument of ${expression.operator}`)
    case 'binary':
      require(expression.left, ['scalar', 'instant vector'], `left of ${expression.operator}`)
      require(expression.right, ['scalar', 'instant vector'], `right of ${expression.operator}`)
      if (isComparison(expression.operator) && !expression.returnsBool && valueType(expression) === 'scalar') {
        const expected = `bool behind ${expression.operator}, as both sides are scalars`
        throw syntaxError({ offset: expression.offset, expected, found: 'none' })
      }
      return
    case 'call': {
      const parameters = parameterTypes[expression.name]
      const count = expression.arguments.length
      if (count !== parameters.length) {
        const expected = `${parameters.length} argument(s) for ${expression.name}`
        throw syntaxError({ offset: expression.offset, expected, found: String(count) })
      }
      for (const [index, argument] of expression.arguments.entries()) {
        const type = parameters[index]
        if (type !== undefined) require(argument, [type], `as argument ${index + 1} of ${expression.name}`)
      }
      return
    }
    default:
      return expression satisfies never
  }
}
