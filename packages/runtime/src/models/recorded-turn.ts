import type { ChatResponse, ChatUpdate, Json } from '../core/index.ts'

/** What is kept of a model's turn: whole, or as its updates came. */
export type RecordedAnswer =
  | { readonly kind: 'whole'; readonly response: ChatResponse }
  | { readonly kind: 'streamed'; readonly updates: readonly ChatUpdate[] }

/** A turn in a file: its request as places and digests of pieces. */
export type RecordedTurn = {
  readonly kind: 'turn'
  readonly digest: string
  readonly request: readonly (readonly [place: string, digest: string])[]
  readonly answer: RecordedAnswer
}

/** One line of a cassette. The header is the first. */
export type CassetteLine =
  | { readonly kind: 'cassette'; readonly version: 1; readonly model: string }
  | { readonly kind: 'piece'; readonly digest: string; readonly value: Json }
  | RecordedTurn
