import { decodeConversation, FairleadError, isJsonObject, type Json, type JsonObject } from '../core/index.ts'
import type { CassetteLine, RecordedAnswer, RecordedTurn } from './recorded-turn.ts'

/**
 * Reads the text of a cassette, line by line. Throws `INVALID_OPTION` for a line that is none of ours, for a file without
 * its header and for a newer version, naming the file and the line.
 */
export function* parseCassette(text: string, file: string): Generator<CassetteLine> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  for (const [index, line] of lines.entries()) {
    const fault = (what: string, cause?: unknown): FairleadError =>
      new FairleadError('INVALID_OPTION', `${file}, line ${index + 1}: ${what}.`, { cause })
    let value: Json
    try {
      value = JSON.parse(line) as Json
    } catch (error) {
      throw fault('expected JSON; remove the line or record again', error)
    }
    if (!isJsonObject(value)) throw fault('expected an object')
    if (index === 0 && value['kind'] !== 'cassette') throw fault('expected the header of a cassette')
    try {
      yield readLine(value)
    } catch (error) {
      throw fault(error instanceof Error ? error.message : String(error), error)
    }
  }
}

function readLine(line: JsonObject): CassetteLine {
  switch (line['kind']) {
    case 'cassette':
      if (line['version'] !== 1) throw new Error(`expected version 1, found ${JSON.stringify(line['version'] ?? null)}`)
      return { kind: 'cassette', version: 1, model: readText(line, 'model') }
    case 'piece':
      return { kind: 'piece', digest: readText(line, 'digest'), value: line['value'] ?? null }
    case 'turn':
      return {
        kind: 'turn',
        digest: readText(line, 'digest'),
        request: readRequest(line['request']),
        answer: readAnswer(line['answer']),
      }
    default:
      throw new Error('expected a cassette, piece or turn')
  }
}

function readText(line: JsonObject, name: string): string {
  const value = line[name]
  if (typeof value !== 'string') throw new Error(`expected a text as ${name}`)
  return value
}

function readRequest(value: Json | undefined): RecordedTurn['request'] {
  if (!Array.isArray(value)) throw new Error('expected the pieces of a request')
  return value.map((entry: Json) => {
    const [place, digest] = Array.isArray(entry) ? (entry as readonly Json[]) : []
    if (typeof place !== 'string' || typeof digest !== 'string') throw new Error('expected [place, digest]')
    return [place, digest] as const
  })
}

function readAnswer(value: Json | undefined): RecordedAnswer {
  if (!isJsonObject(value)) throw new Error('expected an answer')
  const { kind, response, updates } = value
  if (kind === 'whole' && isJsonObject(response) && typeof response['finishReason'] === 'string') {
    requireParts(response['parts'])
    // Its parts were checked, its end is a text; the numbers beside them decide nothing.
    return value as unknown as RecordedAnswer
  }
  if (kind === 'streamed' && Array.isArray(updates)) {
    for (const update of updates as readonly Json[]) requireUpdate(update)
    return value as unknown as RecordedAnswer
  }
  throw new Error('expected a whole or a streamed answer')
}

function requireUpdate(update: Json): void {
  const kind = isJsonObject(update) ? update['kind'] : undefined
  if (!isJsonObject(update)) throw new Error('expected an update')
  if (kind === 'part') requireParts([update['part'] ?? null])
  else if (kind === 'finish') readText(update, 'finishReason')
  else if (kind === 'text-delta' || kind === 'reasoning-delta') readText(update, 'text')
  else throw new Error(`expected an update of a turn, found ${JSON.stringify(kind ?? null)}`)
}

function requireParts(parts: Json | undefined): void {
  decodeConversation({ version: 1, messages: [{ role: 'assistant', parts: parts ?? null }] })
}
