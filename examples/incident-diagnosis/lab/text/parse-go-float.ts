const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const infinity = /^([+-]?)inf(?:inity)?$/i
const notANumber = /^[+-]?nan$/i

/**
 * Reads a decimal number the way Go's `strconv.ParseFloat` does, which is what Prometheus uses for sample values, `le` labels and times.
 *
 * Accepts `Inf`, `+Inf`, `Infinity` and `NaN` in any case; gives undefined for anything else that is no number (hexadecimal floats included).
 */
export function parseGoFloat(text: string): number | undefined {
  if (decimal.test(text)) return Number(text)
  const infinite = infinity.exec(text)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  return notANumber.test(text) ? NaN : undefined
}
