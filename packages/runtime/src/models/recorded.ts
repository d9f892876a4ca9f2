import {
  FairleadError,
  UpdateFolder,
  updatesOf,
  type ChatClient,
  type ChatRequest,
  type ChatUpdate,
  type Json,
} from '../core/index.ts'
import { Cassette } from './cassette.ts'
import { describeDifference } from './describe-difference.ts'
import { mapTexts } from './map-texts.ts'
import type { RecordedAnswer } from './recorded-turn.ts'
import { redactJson, type Redaction } from './redact-json.ts'
import { keyOfRequest, type RequestKey } from './request-pieces.ts'

/** How a cassette is used. */
export type RecordedOptions = {
  /**
   * `replay`: only the file answers; needs no client. `record`: the client answers, and the file begins anew. `auto`: the
   * file answers what it knows, the client the rest. Default `auto` with a client, `replay` without.
   */
  readonly mode?: 'record' | 'replay' | 'auto'
  /** What stays out of the file. Headers are never in it; members named like a password are left out in any case. */
  readonly redact?: Redaction
}

/**
 * A cassette: keeps a real client's turns in a file of JSON lines and gives them again, so that an agent can be tested
 * without its model. A request is known by its instructions, tools, tool choice and messages, whatever the run. Equal
 * requests are answered in the order they were recorded, the last answer standing for all that follow. A turn recorded
 * streamed can be replayed whole and the other way round. Failed and aborted turns are not kept. In `replay` a request
 * that is not known throws `MODEL_ERROR`, saying where it differs from the nearest recorded one. Throws `INVALID_OPTION`
 * at once when the file is missing in `replay`, is no cassette, or lies where no folder can be made for it.
 */
export function recorded(client: ChatClient | null, file: string, options: RecordedOptions = {}): ChatClient {
  const mode = options.mode ?? (client === null ? 'replay' : 'auto')
  const redaction = options.redact ?? {}
  const cassette = openCassette(client, file, mode)
  const model = client?.model ?? cassette.model ?? 'recorded'

  const known = (key: RequestKey): RecordedAnswer | undefined =>
    mode === 'record' ? undefined : mapAnswer(cassette.take(key.digest), (text) => key.ids.reveal(text))

  const keep = (key: RequestKey, answer: RecordedAnswer): void => {
    const clean = redactJson(answer as unknown as Json, redaction) as unknown as RecordedAnswer
    const kept = mapAnswer(clean, (text) =>
      key.ids.concealKnown(redaction.text === undefined ? text : redaction.text(text)),
    )
    if (kept !== undefined) cassette.record(key, kept, model)
  }

  const requireClient = (key: RequestKey): ChatClient => {
    if (client === null || mode === 'replay') throw unknownTurn(key, cassette, file)
    return client
  }

  return {
    model,
    ...(mode === 'replay' ? { notice: `Answers are replayed from ${file}, no model is asked.` } : {}),
    async generate(request) {
      request.signal.throwIfAborted()
      const key = keyOfRequest(request, redaction)
      const answer = known(key)
      if (answer !== undefined) return answer.kind === 'whole' ? answer.response : fold(answer.updates)
      const response = await requireClient(key).generate(request)
      keep(key, { kind: 'whole', response })
      return response
    },
    async *stream(request) {
      request.signal.throwIfAborted()
      const key = keyOfRequest(request, redaction)
      const answer = known(key)
      if (answer !== undefined) {
        yield* answer.kind === 'streamed' ? answer.updates : updatesOf(answer.response)
        return
      }
      const updates: ChatUpdate[] = []
      for await (const update of streamOf(requireClient(key), request)) {
        updates.push(update)
        // Kept before it is told: whoever has the end may not read on.
        if (update.kind === 'finish') keep(key, { kind: 'streamed', updates })
        yield update
      }
    },
  }
}

function openCassette(client: ChatClient | null, file: string, mode: 'record' | 'replay' | 'auto'): Cassette {
  if (client === null && mode !== 'replay') {
    throw new FairleadError('INVALID_OPTION', `mode: expected a client to record with, found null and mode '${mode}'.`)
  }
  if (mode === 'record') return Cassette.empty(file)
  const found = Cassette.read(file)
  if (found !== null) return found
  if (mode === 'auto') return Cassette.empty(file)
  throw new FairleadError(
    'INVALID_OPTION',
    `There is no cassette at ${file}. Record one by running once with a client and mode 'record'.`,
  )
}

async function* streamOf(client: ChatClient, request: ChatRequest): AsyncGenerator<ChatUpdate> {
  if (client.stream !== undefined) yield* client.stream(request)
  else yield* updatesOf(await client.generate(request))
}

function fold(updates: readonly ChatUpdate[]): ReturnType<UpdateFolder['response']> {
  const folder = new UpdateFolder()
  for (const update of updates) folder.add(update)
  return folder.response()
}

function mapAnswer(answer: RecordedAnswer | undefined, map: (text: string) => string): RecordedAnswer | undefined {
  // Texts in, texts out: the shape stays what it was.
  return answer === undefined ? undefined : (mapTexts(answer as unknown as Json, map) as unknown as RecordedAnswer)
}

function unknownTurn(key: RequestKey, cassette: Cassette, file: string): FairleadError {
  const nearest = cassette.nearest(key)
  const difference =
    nearest === undefined
      ? 'nothing is recorded'
      : `of the nearest recorded one, ${describeDifference(nearest, key.pieces)}`
  return new FairleadError(
    'MODEL_ERROR',
    `${file} holds no turn for this request: ${difference}. Record it by running with a client and mode 'auto', or all anew with 'record'.`,
  )
}
