import type { ChatRequest, ChatResponse, ChatUpdate, ContentPart, FinishReason, Json } from '../core/index.ts'

/** One turn of a script: a text, calls, a whole response, an error to throw, or a function of the request. */
export type ScriptedTurn =
  | string
  | { readonly text?: string; readonly calls?: readonly ScriptedCall[]; readonly finishReason?: FinishReason }
  | { readonly response: ChatResponse }
  | { readonly error: Error }
  /** Streams the updates as they stand, for example a stream that is cut; `generate` folds nothing and throws `error`. */
  | { readonly updates: readonly ChatUpdate[]; readonly error: Error }
  | ((request: ChatRequest) => ScriptedTurn | Promise<ScriptedTurn>)

/** A call of a scripted turn. `arguments` given as text stays as it is, invalid or not; other values become JSON. */
export type ScriptedCall = {
  readonly name: string
  readonly arguments?: Json
  /** Default `call_<turn>_<index>`. */
  readonly callId?: string
}

/** The script ran out: the loop asked for a turn nobody wrote. */
export class UnexpectedTurnError extends Error {
  override readonly name = 'UnexpectedTurnError'
}

/** What a turn of a script comes to. */
export type ResolvedTurn =
  | { readonly response: ChatResponse }
  | { readonly error: Error }
  | { readonly updates: readonly ChatUpdate[]; readonly error: Error }

/** The turn at `index` as it answers `request`; throws `UnexpectedTurnError` when the script has none. */
export async function turnAt(
  turns: readonly ScriptedTurn[],
  index: number,
  request: ChatRequest,
): Promise<ResolvedTurn> {
  let turn: ScriptedTurn | undefined = turns[index]
  while (typeof turn === 'function') turn = await turn(request)
  if (turn === undefined) {
    throw new UnexpectedTurnError(`The script has ${turns.length} turns; turn ${index + 1} was asked for.`)
  }
  return resolveTurn(turn, index)
}

/** A turn as `generate` gives it. */
export function wholeTurn(turn: ResolvedTurn): ChatResponse {
  if ('error' in turn) throw turn.error
  return turn.response
}

/** A turn as `stream` gives it, text split into small deltas. */
export function* streamedTurn(turn: ResolvedTurn): Generator<ChatUpdate> {
  if ('updates' in turn) {
    yield* turn.updates
    return
  }
  if ('error' in turn) throw turn.error
  const { parts, finishReason, usage } = turn.response
  for (const [index, part] of parts.entries()) yield* deltasOf(part, index)
  yield { kind: 'finish', finishReason, ...(usage === undefined ? {} : { usage }) }
}

function resolveTurn(turn: Exclude<ScriptedTurn, (request: ChatRequest) => unknown>, index: number): ResolvedTurn {
  if (typeof turn === 'string') return resolveTurn({ text: turn }, index)
  if ('response' in turn || 'error' in turn) return turn
  const calls = turn.calls ?? []
  const parts: ContentPart[] = turn.text === undefined ? [] : [{ kind: 'text', text: turn.text }]
  for (const [position, call] of calls.entries()) {
    const given = call.arguments ?? {}
    parts.push({
      kind: 'function_call',
      callId: call.callId ?? `call_${index + 1}_${position}`,
      name: call.name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })
  }
  return {
    response: {
      parts,
      finishReason: turn.finishReason ?? (calls.length === 0 ? 'stop' : 'tool_calls'),
      usage: { inputTokens: 10, outputTokens: 5 },
    },
  }
}

function* deltasOf(part: ContentPart, index: number): Generator<ChatUpdate> {
  if ((part.kind !== 'text' && part.kind !== 'reasoning') || part.providerMetadata !== undefined) {
    yield { kind: 'part', part }
    return
  }
  for (let at = 0; at === 0 || at < part.text.length; at += 7) {
    yield { kind: `${part.kind}-delta`, id: String(index), text: part.text.slice(at, at + 7) }
  }
}
