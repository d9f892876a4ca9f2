import { FairleadError } from '../../fairlead-error.ts'

/** A whole number from 1; throws `INVALID_OPTION` for anything else. `of` says whose option it is. */
export function requirePositive(of: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value
  throw new FairleadError('INVALID_OPTION', `${of} must be a whole number from 1; found ${String(value)}.`)
}
