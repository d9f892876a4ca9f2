/** The port an environment variable names, or `undefined` when it is not set or empty. Throws an `Error` that names it. */
export function labPort(variable: string, value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const port = /^\d{1,5}$/.test(value.trim()) ? Number(value.trim()) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new Error(`${variable} must be a port from 1 to 65535; found ${JSON.stringify(value.slice(0, 20))}.`)
}
