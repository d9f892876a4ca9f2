import type { JsonObject, ToolContract } from '@fairlead/runtime/core'

/** When a tool asks a person: always, never, or by its arguments. */
export function approvalNeedOf(contract: ToolContract): 'always' | 'never' | 'depends' {
  if (typeof contract.needsApproval === 'function') return 'depends'
  return contract.needsApproval ? 'always' : 'never'
}

/** A tool's contract as `tools list` prints it: everything but code. */
export function toolJson(contract: ToolContract): JsonObject {
  return {
    name: contract.name,
    version: contract.version,
    description: contract.description,
    owner: contract.owner,
    origin: contract.origin,
    effects: contract.effects,
    risk: contract.risk,
    class: contract.class,
    needsApproval: approvalNeedOf(contract),
    reversible: contract.reversible,
    timeoutMs: contract.timeoutMs,
    errorCodes: contract.errorCodes,
    tags: contract.tags,
    environments: contract.environments,
    inputSchema: contract.inputSchema,
    outputSchema: contract.outputSchema,
  }
}
