import type { Store } from '../ports/journal.ts'
import type { Tool } from '../tool/tool.ts'
import { toolsInside } from './agent-tool.ts'

const none: ReadonlyMap<string, Tool> = new Map()

/**
 * The tools of the agent that drives a run: for the run a host started `tools`, for one inside a call those of the agent
 * there; none where the way to it is not known.
 */
export async function toolsOfRun(
  store: Store,
  runId: string,
  tools: ReadonlyMap<string, Tool>,
): Promise<ReadonlyMap<string, Tool>> {
  const parent = (await store.journal.run(runId))?.parent ?? null
  if (parent === null) return tools
  const around = await toolsOfRun(store, parent.runId, tools)
  const call = (await store.journal.calls(parent.runId)).find(({ id }) => id === parent.callId)
  const tool = call === undefined ? undefined : around.get(call.tool)
  return tool === undefined ? none : toolsInside(tool)
}
