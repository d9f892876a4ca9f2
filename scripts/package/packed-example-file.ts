const leftOut: ReadonlySet<string> = new Set(['testing', 'generate', 'node_modules', 'dist', 'tsconfig.json'])

/**
 * Whether a file of an example goes into the command's tarball: what it needs to run, without tests, the generator of
 * its data and what a run left behind. The path is relative to the example, with forward slashes.
 */
export function isPackedExampleFile(path: string): boolean {
  const parts = path.split('/')
  if (parts.some((part) => part.startsWith('.') || leftOut.has(part))) return false
  return !/\.(?:test|test-d|bench)\.ts$/.test(path)
}
