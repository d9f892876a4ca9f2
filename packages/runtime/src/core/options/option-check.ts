/** What a value may be: says what was expected when it is something else, or `null`. */
export type OptionCheck = (value: unknown) => string | null

/** For what others check, or nobody can. */
export function anything(): null {
  return null
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? null : 'a text'
}

export function texts(value: unknown): string | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? null : 'a list of texts'
}

export function list(value: unknown): string | null {
  return Array.isArray(value) ? null : 'a list'
}

export function flag(value: unknown): string | null {
  return typeof value === 'boolean' ? null : 'true or false'
}

export function callable(value: unknown): string | null {
  return typeof value === 'function' ? null : 'a function'
}

export function record(value: unknown): string | null {
  return isRecord(value) ? null : 'an object'
}

export function positive(value: unknown): string | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? null : 'a positive number'
}

export function oneOf(...words: readonly string[]): OptionCheck {
  return (value) =>
    typeof value === 'string' && words.includes(value) ? null : `one of ${words.map((word) => `"${word}"`).join(', ')}`
}

/** An object that can do something; its methods may be inherited. */
export function having(...methods: readonly [string, ...string[]]): OptionCheck {
  const expected =
    methods.length === 1
      ? `an object with a function ${methods[0]}`
      : `an object with the functions ${methods.slice(0, -1).join(', ')} and ${methods.at(-1)}`
  return (value) =>
    isRecord(value) && methods.every((method) => typeof value[method] === 'function') ? null : expected
}

function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
