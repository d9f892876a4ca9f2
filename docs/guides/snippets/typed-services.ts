// #region services
import { Agent, defineConfig, toolFor, type FairleadConfig } from 'fairlead'
import { z } from 'zod'

type Services = { readonly stock: ReadonlyMap<string, number> }

const defineTool = toolFor<Services>()

const countStock = defineTool({
  name: 'count_stock',
  description: 'How many of one article are in the warehouse. Not for prices.',
  inputSchema: z.strictObject({ article: z.string() }),
  effects: 'read',
  execute: ({ article }, { services }) => services.stock.get(article) ?? 0,
})

const services: Services = { stock: new Map([['coffee', 12]]) }

const config: FairleadConfig = defineConfig({
  agent: () => new Agent({ name: 'warehouse', tools: [countStock], services }),
})
export default config
// #endregion
