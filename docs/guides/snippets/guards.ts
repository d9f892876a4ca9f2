// #region guards
import { Agent, FunctionMiddleware, functionMiddleware, tool, type FunctionContext, type Next } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

/** As a class: for a piece that keeps something. */
class OnlyFor extends FunctionMiddleware {
  readonly #role: string

  constructor(role: string) {
    super()
    this.#role = role
  }

  override get guard(): boolean {
    return true
  }

  handle(context: FunctionContext, next: Next): Promise<void> {
    const may = context.tool.effects === 'read' || context.principal.roles?.includes(this.#role)
    if (may !== true) context.reject(`Only somebody with the role "${this.#role}" may do this.`)
    return next()
  }
}

/** Asks a person, and knows its own approval again when the run goes on. */
const askForLarge = functionMiddleware(
  (context, next) => {
    if (Number(context.args['count']) > 50) context.requireApproval({ reason: 'More than 50 pieces.' })
    return next()
  },
  { name: 'ask_for_large', guard: true },
)

const orderArticle = tool({
  name: 'order_article',
  description: 'Orders one article from the supplier.',
  inputSchema: z.strictObject({ article: z.string(), count: z.int().min(1) }),
  effects: 'write',
  execute: ({ count }) => ({ ordered: count }),
})

/** Who asked, and what the model was told in the end. */
export async function orderAs(roles: readonly string[]): Promise<readonly [string | undefined, string]> {
  const call = { name: 'order_article', arguments: { article: 'coffee', count: 60 } }
  const model = new ScriptedChatClient([{ calls: [call] }, 'Done.'])
  const middleware = [new OnlyFor('buyer'), askForLarge]
  const agent = new Agent({ model, tools: [orderArticle], middleware, principal: { id: 'ann', roles } })
  let result = await agent.run('Order 60 coffee.')
  const [asked] = result.approvals
  if (asked !== undefined) result = await agent.run([asked.approve({ by: 'bob' })])
  return [asked?.askedBy, JSON.stringify(result.messages.at(-2)?.parts)]
}
// #endregion
