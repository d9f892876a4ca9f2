import { RE2JS, RE2JSSyntaxException } from 're2js'

const maximumLength = 1000

/** A pattern ready to test text, or the reason why it is refused. */
export type CompiledPattern =
  | { readonly kind: 'compiled'; readonly matches: (text: string) => boolean }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * Compiles a regular expression of a query. `anchored` patterns must match the whole text and their `.` matches line breaks, as in
 * label matchers; others match anywhere, as in line filters.
 *
 * RE2 is the language of both real APIs, and its running time is linear in the text: no pattern can stall the process. Patterns over
 * 1,000 characters are refused.
 */
export function compilePattern(pattern: string, options: { readonly anchored: boolean }): CompiledPattern {
  if (pattern.length > maximumLength) {
    const problem = `a pattern of ${pattern.length} characters, at most ${maximumLength} are allowed`
    return { kind: 'refused', problem }
  }
  try {
    const compiled = RE2JS.compile(pattern, options.anchored ? RE2JS.DOTALL : 0)
    const matches = (text: string): boolean => (options.anchored ? compiled.testExact(text) : compiled.test(text))
    return { kind: 'compiled', matches }
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    return { kind: 'refused', problem: `${JSON.stringify(pattern)}, which is none: ${error.getDescription()}` }
  }
}
