import type { RunRecord, Store } from '@fairlead/runtime/core'

/** More runs than may ever lie inside one another. */
const mostHops = 64

/** The run a host started, above one that runs inside a call, and the agent tools between them, outermost first. */
export async function rootRun(
  run: RunRecord,
  store: Store,
): Promise<{ readonly root: RunRecord; readonly path: readonly string[] }> {
  const path: string[] = []
  let root = run
  for (let hops = 0; hops < mostHops && root.parent !== null; hops += 1) {
    const { runId, callId } = root.parent
    const above = await store.journal.run(runId)
    if (above === undefined) break
    const call = (await store.journal.calls(runId)).find(({ id }) => id === callId)
    if (call !== undefined) path.unshift(call.tool)
    root = above
  }
  return { root, path }
}
