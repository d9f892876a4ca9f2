// #region provider
import { Agent, tool, type ContextProvider, type Tool } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

/** Made once for each tenant, not once for each run: a run that waited finds the very same tool again. */
const shelves = new Map<string, Tool>()

function shelfOf(tenant: string): Tool {
  const known = shelves.get(tenant)
  if (known !== undefined) return known
  const shelf = tool({
    name: 'read_shelf',
    description: 'What lies on the shelf of this tenant.',
    inputSchema: z.strictObject({}),
    effects: 'read',
    execute: () => `${tenant}: coffee`,
  })
  shelves.set(tenant, shelf)
  return shelf
}

export const told: string[] = []

const tenantContext: ContextProvider = {
  name: 'tenant',
  beforeRun(context) {
    const { tenant } = context.principal
    if (tenant === undefined) throw new Error('Nobody without a tenant.')
    context.addInstructions(`You work for ${tenant}.`)
    context.addMessages('The delivery of today is late.')
    context.addTools(shelfOf(tenant))
  },
  afterRun(context, outcome) {
    told.push(`${context.principal.id}: ${outcome.stopReason}`)
  },
}

export async function readShelf(tenant?: string): Promise<string> {
  const model = new ScriptedChatClient([{ calls: [{ name: 'read_shelf' }] }, 'There is coffee.'])
  const agent = new Agent({ model, contextProviders: [tenantContext] })
  const principal = tenant === undefined ? { id: 'ann' } : { id: 'ann', tenant }
  const result = await agent.run('What is there?', { principal })
  return result.error ?? JSON.stringify(result.messages)
}
// #endregion
