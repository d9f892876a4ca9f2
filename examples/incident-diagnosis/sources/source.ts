/** What a data folder holds of one source; `missing` means its file is not there, which is not an error. */
export type Source<TItem> =
  | { readonly kind: 'present'; readonly items: readonly TItem[] }
  | { readonly kind: 'missing' }

/** The items of a source; none when its file is missing. */
export function itemsOf<TItem>(source: Source<TItem>): readonly TItem[] {
  return source.kind === 'present' ? source.items : []
}
