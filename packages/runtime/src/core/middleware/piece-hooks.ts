import { FairleadError } from '../fairlead-error.ts'
import type { ChatResponse, ChatUpdate } from '../chat/chat-client.ts'
import { UpdateFolder } from '../chat/fold-updates.ts'
import type { TurnStream } from './chat-context.ts'

type Piece = Exclude<ChatUpdate, { kind: 'finish' }>

type Hook =
  | { readonly kind: 'map'; readonly run: (update: ChatUpdate) => ChatUpdate | undefined }
  | { readonly kind: 'tap'; readonly run: (update: ChatUpdate) => void }

/** What chat middleware registered on the pieces of a turn: the innermost piece of middleware's hooks come first. */
export class PieceHooks {
  readonly #hooks: Hook[][] = []
  #endings: (() => void)[] = []

  /** The registrations of the middleware at `index` of its chain, outermost 0. `mayRegister` throws when it is too late. */
  of(index: number, mayRegister: (what: string) => void): TurnStream {
    const own: Hook[] = (this.#hooks[index] ??= [])
    return {
      map: (run) => {
        mayRegister('stream.map')
        own.push({ kind: 'map', run })
      },
      tap: (run) => {
        mayRegister('stream.tap')
        own.push({ kind: 'tap', run })
      },
      onEnd: (run) => {
        mayRegister('stream.onEnd')
        this.#endings.push(run)
      },
    }
  }

  /** One piece on its way out; `undefined` when a hook left it out. The end of a turn is none of its pieces. */
  apply(update: ChatUpdate): ChatUpdate | undefined {
    if (update.kind === 'finish') return update
    let piece: ChatUpdate | undefined = update
    for (let index = this.#hooks.length - 1; index >= 0; index--) {
      for (const hook of this.#hooks[index] ?? []) {
        if (hook.kind === 'tap') hook.run(piece)
        else piece = requirePiece(hook.run(piece))
        if (piece === undefined) return undefined
      }
    }
    return piece
  }

  /** A whole turn through the same hooks, each text as one piece. */
  applyToWhole(response: ChatResponse): ChatResponse {
    if (this.#hooks.every((own) => own.length === 0)) return response
    const folder = new UpdateFolder()
    for (const [index, part] of response.parts.entries()) {
      const piece = this.apply(pieceOf(part, index))
      if (piece !== undefined) folder.add(piece)
    }
    folder.add({ kind: 'finish', finishReason: response.finishReason })
    return { ...response, parts: folder.response().parts }
  }

  /** The turn is over. Calls every ending once; throws the first error of theirs. */
  end(): void {
    const endings = this.#endings
    this.#endings = []
    const thrown: unknown[] = []
    for (const ending of endings) {
      try {
        ending()
      } catch (error) {
        thrown.push(error)
      }
    }
    if (thrown.length > 0) throw thrown[0]
  }
}

/** What a hook gives back is from outside: what is no piece would be dropped unseen, a call with it. */
function requirePiece(given: unknown): ChatUpdate | undefined {
  if (given === undefined) return undefined
  const kind: unknown = typeof given === 'object' && given !== null && 'kind' in given ? given.kind : null
  if (kind === 'text-delta' || kind === 'reasoning-delta' || kind === 'part') return given as ChatUpdate
  const found =
    given instanceof Promise ? 'a promise' : Array.isArray(given) ? 'a list' : given === null ? 'null' : typeof given
  throw new FairleadError(
    'MIDDLEWARE_MISUSE',
    `stream.map must give one piece, or undefined to leave it out; found ${found}.`,
  )
}

function pieceOf(part: ChatResponse['parts'][number], index: number): Piece {
  if (part.kind !== 'text' && part.kind !== 'reasoning') return { kind: 'part', part }
  const { text, providerMetadata } = part
  const piece = { kind: `${part.kind}-delta`, id: String(index), text } as const
  return providerMetadata === undefined ? piece : { ...piece, providerMetadata }
}
