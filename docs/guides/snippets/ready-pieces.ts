// #region ready-pieces
import { Agent, cacheReads, keepLastMessages, logCalls, maskForModel, measureTime, rateGuard, tool } from 'fairlead'
import type { Timing, ToolLogger } from 'fairlead'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { z } from 'zod'

export const lines: string[] = []
export const timings: Timing[] = []

const logger: ToolLogger = { info: (line) => lines.push(line), warn: (line) => lines.push(line) }

const findCustomer = tool({
  name: 'find_customer',
  description: 'The address of one customer.',
  inputSchema: z.strictObject({ name: z.string() }),
  effects: 'read',
  execute: ({ name }) => ({ name, mail: `${name}@example.org` }),
})

export async function lookTwice(): Promise<string> {
  const call = { name: 'find_customer', arguments: { name: 'ann' } }
  const model = new ScriptedChatClient([{ calls: [call] }, { calls: [call] }, { calls: [call] }, 'Found.'])
  const agent = new Agent({
    model,
    tools: [findCustomer],
    logger,
    compaction: keepLastMessages(20),
    middleware: [
      logCalls(),
      measureTime((timing) => timings.push(timing)),
      maskForModel({ patterns: { customer: /C-\d{6}/ } }),
      rateGuard({ calls: 2, windowMs: 60_000, per: 'principal' }),
      cacheReads({ ttlMs: 30_000 }),
    ],
  })
  return JSON.stringify((await agent.run('Where does ann live?')).messages)
}
// #endregion
