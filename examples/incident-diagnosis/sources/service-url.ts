/**
 * The base URL an environment variable names, or `undefined` when it is not set or empty. It may have a path prefix, and a user and
 * password for basic authentication. Throws an `Error` that names the variable, never its value, when it is no such URL.
 */
export function serviceUrl(variable: string, value: string | undefined): string | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const url = URL.canParse(value.trim()) ? new URL(value.trim()) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url.href
  throw new Error(
    `${variable} must be an http or https URL without a query, for example http://prometheus.example:9090/prefix; what it holds is none (not shown: it may have a password).`,
  )
}
