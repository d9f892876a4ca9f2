export { conformanceCases } from './conformance.ts'
export type { ConformanceCase, MakeAgent } from './conformance.ts'
export { ManualClock } from './manual-clock.ts'
export { ScriptedChatClient } from './scripted-chat-client.ts'
export { UnexpectedTurnError } from './scripted-turn.ts'
export type { ScriptedCall, ScriptedTurn } from './scripted-turn.ts'
export { statelessScript } from './stateless-script.ts'
export { storeContractCases } from './store-contract.ts'
export type { MakeStore, StoreContractCase, StoreUnderTest } from './store-contract-case.ts'
export {
  beginEntries,
  movedCall,
  moveEntry,
  sampleApproval,
  sampleCall,
  sampleRule,
  sampleRun,
} from './store-records.ts'
