/** A short rendering of any value for an error message, on one line, whatever its size or depth. */
export function showValue(value: unknown, limit = 80): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, limit)) : textOf(value)
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}

function textOf(value: unknown): string {
  try {
    // The types leave out that there is no JSON of a function.
    return (JSON.stringify(value) as string | undefined) ?? typeof value
  } catch {
    // Nested deeper than the stack, or longer than a string may be.
    return 'a value too large to show'
  }
}
