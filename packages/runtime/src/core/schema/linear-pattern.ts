import { RE2JS } from 're2js'

/** A pattern that is matched in time linear in the text (RE2), so that no schema can stall the process. */
export type LinearPattern = {
  test(text: string): boolean
  /** The pattern itself: Ajv tells compiled patterns apart by their text. */
  toString(): string
}

/** Compiles a pattern for search as JSON Schema means it (not anchored); `undefined` when RE2 has no form for it. */
export function linearPattern(source: string): LinearPattern | undefined {
  try {
    const compiled = RE2JS.compile(source)
    return { test: (text) => compiled.matcher(text).find(), toString: () => source }
  } catch {
    return undefined
  }
}
