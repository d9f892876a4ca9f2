import { re2ToJavaScript } from './re2-to-javascript.ts'

const maximumLength = 1000

/** A pattern ready to test text, or the reason why it is refused. */
export type CompiledPattern =
  | { readonly kind: 'compiled'; readonly expression: RegExp }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * Compiles a regular expression of a query. `anchored` patterns must match the whole text and their `.` matches line breaks, as in
 * label matchers; others match anywhere, as in line filters.
 *
 * The engines behind the real APIs use RE2, which is not available here: JavaScript's engine runs a translation. Patterns over 1,000
 * characters are refused. Running time is not bounded by this function.
 */
export function compilePattern(pattern: string, options: { readonly anchored: boolean }): CompiledPattern {
  if (pattern.length > maximumLength) {
    const problem = `a pattern of ${pattern.length} characters, at most ${maximumLength} are allowed`
    return { kind: 'refused', problem }
  }
  const translated = re2ToJavaScript(pattern, { dotMatchesLineBreak: options.anchored })
  if (translated.kind === 'refused') return translated
  const source = options.anchored ? `^(?:${translated.source})$` : translated.source
  try {
    return { kind: 'compiled', expression: new RegExp(source, 'u') }
  } catch {
    return { kind: 'refused', problem: `${JSON.stringify(pattern)}, which is none` }
  }
}
