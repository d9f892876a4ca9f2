import type { FilePart } from '../core/index.ts'

/** Where the bytes of a file part are, or what to say in its place when a provider could not use it. */
export type FileSource =
  | { readonly kind: 'base64'; readonly base64: string }
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'none'; readonly text: string }

const dataUri = /^data:[^,]*;base64,/i

/**
 * Finds the bytes of a file part: its base64 data, the data inside a `data:` URI, or a URL for the provider to load.
 * Nothing is downloaded here. A part without either, or with a URI that is no URL, becomes a text that says so.
 */
export function readFileSource(part: FilePart): FileSource {
  if (part.data !== undefined) return { kind: 'base64', base64: part.data }
  if (part.uri === undefined) return { kind: 'none', text: describe(part) }
  const head = dataUri.exec(part.uri)
  if (head !== null) return { kind: 'base64', base64: part.uri.slice(head[0].length) }
  const url = URL.canParse(part.uri) ? new URL(part.uri) : null
  return url === null ? { kind: 'none', text: describe(part) } : { kind: 'url', url }
}

function describe(part: FilePart): string {
  const name = part.name === undefined ? '' : ` ${JSON.stringify(part.name)}`
  const where = part.uri === undefined ? '' : ` at ${part.uri}`
  return `[A file${name} of type ${part.mediaType}${where} that cannot be shown]`
}
