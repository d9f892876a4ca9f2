/**
 * Writes a sample value the way Prometheus' HTTP API does: shortest decimal digits, `1e-07`-style exponents below 1e-6 and from
 * 1e21 on, and `NaN`, `+Inf`, `-Inf`.
 */
export function formatSampleValue(value: number): string {
  const special = formatSpecial(value)
  if (special !== undefined) return special
  const magnitude = Math.abs(value)
  return magnitude !== 0 && (magnitude < 1e-6 || magnitude >= 1e21) ? withExponent(value) : withoutExponent(value)
}

/** Writes a scalar result the way Prometheus' HTTP API does: shortest decimal digits, never an exponent. */
export function formatScalarValue(value: number): string {
  return formatSpecial(value) ?? withoutExponent(value)
}

/**
 * Writes a bucket bound or quantile the way Prometheus 3 normalises `le` and `quantile` labels on ingestion: `1` becomes `1.0`,
 * a million becomes `1e+06`.
 */
export function formatBucketBound(value: number): string {
  if (value === 0) return '0.0'
  const special = formatSpecial(value)
  if (special !== undefined) return special
  const { exponent } = decimalParts(value)
  if (exponent < -4 || exponent >= 6) return withExponent(value)
  const plain = withoutExponent(value)
  return plain.includes('.') ? plain : `${plain}.0`
}

interface DecimalParts {
  readonly sign: string
  readonly digits: string
  readonly exponent: number
}

function decimalParts(value: number): DecimalParts {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  return { sign, digits: mantissa.replace('.', ''), exponent: Number(exponent) }
}

function withExponent(value: number): string {
  const { sign, digits, exponent } = decimalParts(value)
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  const exponentSign = exponent < 0 ? '-' : '+'
  return `${sign}${digits.slice(0, 1)}${fraction}e${exponentSign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function withoutExponent(value: number): string {
  const { sign, digits, exponent } = decimalParts(value)
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : undefined
}
