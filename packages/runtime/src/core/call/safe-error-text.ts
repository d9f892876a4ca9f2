const longest = 500

/**
 * An error's name and message in a form a model may see: one line, at most 500 characters, without stack, causes,
 * paths or what looks like a credential. A last net, not a proof: keep secrets out of messages.
 */
export function safeErrorText(error: unknown): string {
  try {
    if (error instanceof Error) return cleanText(`${String(error.name)}: ${String(error.message)}`)
  } catch {
    // Looking at it threw.
  }
  return 'Something was thrown that is not an error.'
}

/** The same for a text of any origin. */
export function cleanText(given: string): string {
  const text = given
    .split('\n')
    .filter((line) => !/^\s*at /.test(line))
    .join(' ')
    .replaceAll(/\b(?:file|https?|postgres(?:ql)?|mysql|mongodb|redis|amqp):\/\/\S+/gi, '[address]')
    .replaceAll(/(?:[A-Za-z]:)?(?:[\\/][\w.@~+-]+){2,}(?::\d+)*/g, '[path]')
    .replaceAll(/\b(?:Bearer|Basic)\s+\S+/gi, '[credential]')
    .replaceAll(
      /\b([\w-]*(?:password|passwd|pwd|secret|token|api[-_]?key|credential)[\w-]*)\s*[=:]\s*\S+/gi,
      '$1=[redacted]',
    )
    .replaceAll(/\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|eyJ)[\w-]{12,}\b/g, '[credential]')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}
