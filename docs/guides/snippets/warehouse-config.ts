// #region config
import { defineConfig, type FairleadConfig } from 'fairlead'
import { warehouseAgent } from './warehouse-agent.ts'

const config: FairleadConfig = defineConfig({
  agent: () => warehouseAgent({ apiKey: process.env['OPENAI_API_KEY'] ?? '' }),
})
export default config
// #endregion
