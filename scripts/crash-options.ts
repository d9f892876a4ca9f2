/** How often to kill, and from which seed on. */
export type CrashOptions = { readonly kills: number; readonly seed: number }

/** Reads `--kills N` and `--seed N`; FAIRLEAD_SEED stands in for the second. Throws for anything else. */
export function readCrashOptions(
  args: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): CrashOptions {
  let kills = 500
  let seed = wholeNumber('FAIRLEAD_SEED', environment['FAIRLEAD_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31)))
  for (let index = 0; index < args.length; index += 2) {
    const name = args[index] ?? ''
    const value = wholeNumber(name, args[index + 1] ?? '')
    if (name === '--kills') kills = value
    else if (name === '--seed') seed = value
    else throw new Error(`Expected --kills N or --seed N, found ${name}.`)
  }
  return { kills, seed }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0) return value
  throw new Error(`${name} must be followed by a whole number, found ${JSON.stringify(text)}.`)
}
