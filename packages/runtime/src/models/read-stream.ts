import type { ChatUpdate } from '../core/index.ts'
import type { AiSdkStream } from './ai-sdk-model.ts'
import { StreamedTurn } from './streamed-turn.ts'

/**
 * The updates of one AI SDK stream, as they come. After an abort, or when nobody reads on, the provider's stream is
 * cancelled, so that the connection closes even if the provider does not look at the signal.
 */
export async function* readStream(
  open: () => PromiseLike<{ readonly stream: AiSdkStream }>,
  signal: AbortSignal,
  conversationIdOf: (metadata: unknown) => string | undefined,
): AsyncGenerator<ChatUpdate> {
  signal.throwIfAborted()
  // Opened in here, not around it: each generator that only hands on another's updates costs every delta again.
  const { stream } = await open()
  const reader = stream.getReader()
  const turn = new StreamedTurn()
  const cancel = (): void => {
    Promise.resolve(reader.cancel(signal.reason)).catch(() => undefined)
  }
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  let isOver = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done || value === undefined) break
      const update = turn.read(value)
      if (update !== undefined) yield update
    }
    isOver = true
    const finish = turn.finish(conversationIdOf)
    if (finish !== undefined) yield finish
  } finally {
    signal.removeEventListener('abort', cancel)
    if (!isOver && !signal.aborted) cancel()
  }
}
