/** A measured value to three significant digits, without an exponent for ordinary sizes. */
export function formatValue(value: number): string {
  return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3)))
}
