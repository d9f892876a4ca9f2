// #region class
import { Agent, defineConfig, toolMethod, type FairleadConfig } from 'fairlead'
import { z } from 'zod'

const oneArticle = z.strictObject({ article: z.string().describe('Name of the article, for example coffee.') })

export class Warehouse {
  readonly #stock: Map<string, number>

  constructor(stock: Map<string, number>) {
    this.#stock = stock
  }

  @toolMethod({
    description: 'How many of one article are in the warehouse. Not for prices.',
    inputSchema: oneArticle,
    effects: 'read',
  })
  count_stock({ article }: { readonly article: string }): number {
    return this.#stock.get(article) ?? 0
  }

  @toolMethod({
    description: 'Takes one article out of the list. Only when it is no longer sold.',
    inputSchema: oneArticle,
    effects: 'destructive',
    needsApproval: true,
  })
  remove_article({ article }: { readonly article: string }): boolean {
    return this.#stock.delete(article)
  }
}

const config: FairleadConfig = defineConfig({
  agent: () => new Agent({ name: 'warehouse', tools: [new Warehouse(new Map([['coffee', 12]]))] }),
})
export default config
// #endregion
