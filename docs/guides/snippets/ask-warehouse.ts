// #region ask
import { warehouseAgent } from './warehouse-agent.ts'

/** Asks once and gives the answer, or throws why there is none. */
export async function ask(prompt: string): Promise<string> {
  const apiKey = process.env['OPENAI_API_KEY']
  if (apiKey === undefined) throw new Error('Set OPENAI_API_KEY.')
  const baseURL = process.env['OPENAI_BASE_URL']
  const agent = warehouseAgent({ apiKey, ...(baseURL === undefined ? {} : { baseURL }) })
  const result = await agent.run(prompt)
  if (result.stopReason !== 'answered') throw new Error(`${result.stopReason}: ${result.error}`)
  return result.text
}
// #endregion
