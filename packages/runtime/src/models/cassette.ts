import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FairleadError, type Json } from '../core/index.ts'
import { makeFolder } from './make-folder.ts'
import { parseCassette } from './parse-cassette.ts'
import type { CassetteLine, RecordedAnswer, RecordedTurn } from './recorded-turn.ts'
import type { Piece, RequestKey } from './request-pieces.ts'

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function textOf(file: string): string | null {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  } catch (error) {
    throw new FairleadError('INVALID_OPTION', `${file} cannot be read: ${reasonOf(error)}.`, { cause: error })
  }
}

/**
 * Recorded turns in one file of JSON lines: a header, then turns and the pieces of requests they are made of, each piece
 * once. Turns are added at the end, each with one write. Not for several processes at the same time.
 */
export class Cassette {
  readonly #file: string
  readonly #turns = new Map<string, RecordedTurn[]>()
  readonly #pieces = new Map<string, Json>()
  readonly #taken = new Map<string, number>()
  /** The model whose turns these are; `null` before the first turn. */
  model: string | null = null

  private constructor(file: string) {
    this.#file = file
  }

  /** Reads a file; gives `null` when there is none. Throws `INVALID_OPTION` naming the line that is no recording. */
  static read(file: string): Cassette | null {
    const text = textOf(file)
    if (text === null) return null
    const cassette = new Cassette(file)
    for (const line of parseCassette(text, file)) cassette.#add(line)
    return cassette
  }

  /**
   * An empty recording. The file is written, over whatever was there, with the first turn; its folder is made now, so
   * that a place where nothing can be kept is known before a turn is paid for. Throws `INVALID_OPTION` there.
   */
  static empty(file: string): Cassette {
    try {
      makeFolder(dirname(resolve(file)))
    } catch (error) {
      throw new FairleadError('INVALID_OPTION', `The folder of ${file} cannot be made: ${reasonOf(error)}.`, {
        cause: error,
      })
    }
    return new Cassette(file)
  }

  /** The next answer recorded for this request; when all were given, the last one again. */
  take(digest: string): RecordedAnswer | undefined {
    const turns = this.#turns.get(digest)
    if (turns === undefined) return undefined
    const taken = this.#taken.get(digest) ?? 0
    this.#taken.set(digest, taken + 1)
    return turns[Math.min(taken, turns.length - 1)]?.answer
  }

  /** The recorded request that has most pieces in common with this one. */
  nearest(asked: RequestKey): readonly Piece[] | undefined {
    const wanted = new Set(asked.pieces.map(({ place, digest }) => `${place} ${digest}`))
    let best: { readonly turn: RecordedTurn; readonly score: number } | undefined
    for (const turn of [...this.#turns.values()].flat()) {
      const score = turn.request.filter(([place, digest]) => wanted.has(`${place} ${digest}`)).length
      if (best === undefined || score > best.score) best = { turn, score }
    }
    return best?.turn.request.map(([place, digest]) => ({ place, digest, value: this.#pieces.get(digest) ?? null }))
  }

  /** Keeps a turn, with the pieces of its request that the file does not hold yet. */
  record(key: RequestKey, answer: RecordedAnswer, model: string): void {
    const lines: CassetteLine[] = []
    const isNew = this.model === null
    if (isNew) lines.push({ kind: 'cassette', version: 1, model })
    const unwritten = new Map(key.pieces.map(({ digest, value }) => [digest, value]))
    for (const [digest, value] of unwritten) {
      if (!this.#pieces.has(digest)) lines.push({ kind: 'piece', digest, value })
    }
    const request = key.pieces.map(({ place, digest }) => [place, digest] as const)
    lines.push({ kind: 'turn', digest: key.digest, request, answer })
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    try {
      if (isNew) writeFileSync(this.#file, text)
      else appendFileSync(this.#file, text)
    } catch (error) {
      throw new FairleadError(
        'STORE_UNAVAILABLE',
        `The turn could not be recorded to ${this.#file}: ${reasonOf(error)}.`,
        {
          cause: error,
        },
      )
    }
    for (const line of lines) this.#add(line)
  }

  #add(line: CassetteLine): void {
    switch (line.kind) {
      case 'cassette':
        this.model = line.model
        break
      case 'piece':
        this.#pieces.set(line.digest, line.value)
        break
      case 'turn': {
        const same = this.#turns.get(line.digest)
        if (same === undefined) this.#turns.set(line.digest, [line])
        else same.push(line)
        break
      }
      default:
        line satisfies never
    }
  }
}
