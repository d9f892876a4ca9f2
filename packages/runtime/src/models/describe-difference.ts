import { isJsonObject, type Json } from '../core/index.ts'
import type { Piece } from './request-pieces.ts'

const longestShown = 60

/** The first place where a request differs from a recorded one, and both sides of it, cut to be read in one line. */
export function describeDifference(recorded: readonly Piece[], asked: readonly Piece[]): string {
  for (const piece of asked) {
    const other = recorded.find(({ place }) => place === piece.place)
    if (other === undefined) return `it has no ${piece.place}, asked was ${show(piece.value)}`
    if (other.digest === piece.digest) continue
    const { path, left, right } = firstDifference(other.value, piece.value, piece.place)
    return `it differs at ${path}: recorded ${show(left)}, asked ${show(right)}`
  }
  const more = recorded.find(({ place }) => !asked.some((piece) => piece.place === place))
  return more === undefined ? 'it is the same' : `it goes on with ${more.place}: ${show(more.value)}`
}

type Difference = { readonly path: string; readonly left: Json | undefined; readonly right: Json | undefined }

function firstDifference(left: Json | undefined, right: Json | undefined, path: string): Difference {
  const leftMembers = membersOf(left)
  const rightMembers = membersOf(right)
  if (leftMembers === undefined || rightMembers === undefined) return { path, left, right }
  for (const key of new Set([...Object.keys(leftMembers), ...Object.keys(rightMembers)])) {
    const here = leftMembers[key]
    const there = rightMembers[key]
    if (JSON.stringify(here) !== JSON.stringify(there)) return firstDifference(here, there, `${path}.${key}`)
  }
  return { path, left, right }
}

function membersOf(value: Json | undefined): { readonly [key: string]: Json } | undefined {
  if (Array.isArray(value)) return Object.fromEntries(value.map((item: Json, index) => [String(index), item]))
  return isJsonObject(value) ? value : undefined
}

function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`
}
