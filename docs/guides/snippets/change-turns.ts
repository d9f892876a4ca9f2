// #region change-turns
import { Agent, chatMiddleware, middlewareBundle, functionMiddleware, tool, type Middleware } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

/** What the model is asked; the stored conversation stays as it is. */
const withLanguage: Middleware = chatMiddleware(
  async (context, next) => {
    const { request } = context
    context.request = { ...request, instructions: `${request.instructions ?? ''} Answer in one sentence.`.trim() }
    await next()
  },
  { name: 'with_language' },
)

/** A second `next` asks again; both turns are paid for. */
const notEmpty: Middleware = chatMiddleware(
  async (context, next) => {
    await next()
    if (context.result?.parts.length === 0) await next()
  },
  { name: 'not_empty' },
)

/** Piece by piece, streamed or not. A word may come in two pieces. */
const noExclamations: Middleware = chatMiddleware(
  async (context, next) => {
    context.stream.map((piece) =>
      piece.kind === 'text-delta' ? { ...piece, text: piece.text.replaceAll('!', '.') } : piece,
    )
    await next()
  },
  { name: 'no_exclamations' },
)

/** Two pieces that only make sense together. They meet in the state of the run. */
const sayWhatWasRead: Middleware = middlewareBundle('say_what_was_read', [
  functionMiddleware(
    async (context, next) => {
      await next()
      if (context.tool.effects === 'read') context.state.set('read', context.tool.name)
    },
    { name: 'remember' },
  ),
  chatMiddleware(
    async (context, next) => {
      await next()
      const read = context.state.get('read')
      const { result } = context
      if (result === undefined || result.finishReason !== 'stop' || typeof read !== 'string') return
      context.result = { ...result, parts: [...result.parts, { kind: 'text', text: `(from ${read})` }] }
    },
    { name: 'say' },
  ),
])

export async function ask(): Promise<{ readonly text: string; readonly asked: ScriptedChatClient['requests'] }> {
  const countStock = tool({
    name: 'count_stock',
    description: 'How many of one article are in the warehouse. Not for prices.',
    inputSchema: z.strictObject({ article: z.string() }),
    effects: 'read',
    execute: () => 12,
  })
  const model = new ScriptedChatClient([
    { calls: [{ name: 'count_stock', arguments: { article: 'coffee' } }] },
    {},
    'There are 12!',
  ])
  const middleware = [sayWhatWasRead, withLanguage, notEmpty, noExclamations]
  const { text } = await new Agent({ model, tools: [countStock], middleware }).run('How much coffee is there?')
  return { text, asked: model.requests }
}
// #endregion
