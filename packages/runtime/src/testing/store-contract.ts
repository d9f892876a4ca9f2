import { approvalCases } from './store-contract-approvals.ts'
import { batchCases } from './store-contract-batches.ts'
import { callCases } from './store-contract-calls.ts'
import type { StoreContractCase } from './store-contract-case.ts'
import { ruleCases } from './store-contract-rules.ts'
import { runCases } from './store-contract-runs.ts'
import { sessionCases } from './store-contract-sessions.ts'

/**
 * Everything a store must do, as cases for any test runner: give each `run` a function that makes an empty store and
 * expect it to resolve. Asserts with `node:assert`. Cases share nothing and may run at the same time.
 */
export const storeContractCases: readonly StoreContractCase[] = [
  ...sessionCases,
  ...runCases,
  ...callCases,
  ...approvalCases,
  ...ruleCases,
  ...batchCases,
]
