/** The only TypeScript sample of a README; throws when there is none or more than one. */
export function readmeSample(readme: string): string {
  const samples = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  const [only] = samples
  if (only === undefined || samples.length > 1) {
    throw new Error(`Expected one TypeScript sample; found ${samples.length}.`)
  }
  return only
}
