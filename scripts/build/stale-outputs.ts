/**
 * Of the compiler's outputs those whose source is gone: `tsc -b` never removes them, so that they would be published.
 * Paths are relative to `dist` and to `src`, with forward slashes. What the compiler does not write is never named.
 */
export function staleOutputs(outputs: readonly string[], sources: readonly string[]): readonly string[] {
  const stems = new Set(sources.filter(isCompiled).map((source) => source.replace(/\.ts$/, '')))
  return outputs.filter((output) => {
    const written = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(output)?.[1]
    return written !== undefined && !stems.has(written)
  })
}

function isCompiled(source: string): boolean {
  return source.endsWith('.ts') && !/\.(?:test|test-d|bench)\.ts$/.test(source)
}
