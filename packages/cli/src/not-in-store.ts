import { requestFailure, type CommandFailure } from './exit.ts'
import { visibleLine } from './output/visible-text.ts'
import type { OpenedStore, StoreLocation } from './store-location.ts'

/** A store that is not there, as a list of what it holds must say it: an empty list would read as all clear. */
export function noStoreText({ file }: StoreLocation): string {
  return `There is no store at ${file}: no run was kept there.`
}

/** Something a person named is not in the store, or there is no store at all; `advice` is for the first case. */
export function notInStore(
  what: string,
  { file }: StoreLocation,
  opened: OpenedStore | undefined,
  advice: string = '',
): CommandFailure {
  const named = visibleLine(what)
  return opened === undefined
    ? requestFailure(`There is no ${named}: there is no store at ${file}.`)
    : requestFailure(`There is no ${named} in ${file}.${advice}`)
}
