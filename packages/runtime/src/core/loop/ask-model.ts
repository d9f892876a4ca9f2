import type { AbortFan } from '../call/abort-fan.ts'
import { CallSignal } from '../call/call-signal.ts'
import type { ChatClient, ChatRequest, ChatResponse, ChatUpdate } from '../chat/chat-client.ts'
import { UpdateFolder, updatesOf } from '../chat/fold-updates.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { RunUpdate } from './run-update.ts'

export type ModelAnswer =
  | { readonly kind: 'answered'; readonly response: ChatResponse }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'aborted' }

/**
 * One model turn, streamed to `emit`-like updates or whole. Never throws: a failure of the client is an answer.
 * After an abort nobody waits for the client, whether it honours the signal or not.
 */
export async function* askModel(
  model: ChatClient,
  request: Omit<ChatRequest, 'signal'>,
  setting: { readonly fan: AbortFan; readonly streaming: boolean },
): AsyncGenerator<RunUpdate, ModelAnswer> {
  const { fan } = setting
  const signal = new CallSignal(fan)
  const fullRequest: ChatRequest = {
    ...request,
    get signal() {
      return signal.signal
    },
  }
  try {
    if (!setting.streaming) {
      return { kind: 'answered', response: await untilAborted(fan, () => model.generate(fullRequest)) }
    }
    const folder = new UpdateFolder()
    for await (const update of abortable(fan, updatesFrom(model, fullRequest))) {
      folder.add(update)
      const told = tellOf(update)
      if (told !== undefined) yield told
    }
    return { kind: 'answered', response: folder.response() }
  } catch (error) {
    return fan.aborted ? { kind: 'aborted' } : { kind: 'failed', error: modelErrorText(error) }
  } finally {
    signal.close()
  }
}

async function* updatesFrom(model: ChatClient, request: ChatRequest): AsyncGenerator<ChatUpdate> {
  if (model.stream !== undefined) yield* model.stream(request)
  else yield* updatesOf(await model.generate(request))
}

function tellOf(update: ChatUpdate): RunUpdate | undefined {
  switch (update.kind) {
    case 'text-delta':
      return { kind: 'text-delta', text: update.text }
    case 'reasoning-delta':
      return { kind: 'reasoning-delta', text: update.text }
    case 'part':
      return { kind: 'part', part: update.part }
    case 'finish':
      return undefined
    default:
      update satisfies never
      return undefined
  }
}

function untilAborted<T>(fan: AbortFan, start: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = fan.listen((reason) => reject(toError(reason)))
    if (fan.aborted) return
    start().then(
      (value) => {
        stopListening()
        resolve(value)
      },
      (error: unknown) => {
        stopListening()
        reject(toError(error))
      },
    )
  })
}

async function* abortable<T>(fan: AbortFan, source: AsyncGenerator<T>): AsyncGenerator<T> {
  let stopListening: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    stopListening = fan.listen((reason) => reject(toError(reason)))
  })
  // Nobody may be waiting when the abort comes.
  aborted.catch(() => undefined)
  try {
    for (;;) {
      const next = await Promise.race([source.next(), aborted])
      if (next.done === true) return
      yield next.value
    }
  } finally {
    stopListening()
    // Not awaited: a client that ignores the abort would hold the run.
    source.return(undefined).catch(() => undefined)
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new FairleadError('MODEL_ERROR', String(reason))
}

/** For the host: what the client said, in one line, at most 500 characters; never a stack. */
function modelErrorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/\s+/g, ' ').slice(0, 500)
}
