// One process of the crash tests. Takes an order (order.ts) as its one argument, prints `ready`, waits for a line, then
// does its tasks in turn and prints what each came to. Kills or stops itself where the order says so.
import { once } from 'node:events'
import { decideApproval, resolveCall, randomIds, sha256 } from '@fairlead/runtime/core'
import type { Agent, RunResult, Store, Tool } from '@fairlead/runtime/core'
import { sqliteStore } from '@fairlead/store'
import { deskAgent, toolsOfDesk } from '../desk-agent.ts'
import { lit, say } from '../fuse.ts'
import { mortalClock, mortalRecorder, mortalStore } from '../mortal-ports.ts'
import type { Order, Task } from '../order.ts'

const order = JSON.parse(process.argv[2] ?? '') as Order
const reached = lit(order.fuse)

work().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  },
)

async function work(): Promise<void> {
  const { file, lockTimeoutMs } = order
  const opened = sqliteStore({ file, ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }) })
  await opened.ready()
  say({ kind: 'ready' })
  await once(process.stdin, 'data')
  process.stdin.destroy()
  const store = mortalStore(opened, reached)
  const agent = deskAgent(store, order, reached)
  for (const task of order.tasks) {
    try {
      await perform(task, store, agent)
    } catch (error) {
      const { code = 'UNEXPECTED', message = String(error) } = error as { code?: string; message?: string }
      say({ kind: 'failed', code, message })
    }
  }
  await store.close()
}

async function perform(task: Task, store: Store, agent: Agent): Promise<void> {
  const ports = {
    clock: mortalClock(order.clockAheadMs ?? 0, reached),
    recorder: mortalRecorder(reached),
    hash: sha256,
    ids: randomIds(),
  }
  switch (task.do) {
    case 'start': {
      const session = task.sessionId === undefined ? {} : { session: await agent.session(task.sessionId) }
      return tell(await agent.run('Please.', session))
    }
    case 'resume':
      return tell(await agent.resume(task.runId).result)
    case 'answer':
      return tell(await agent.run(task.answers))
    case 'decide':
      for (const answer of task.answers) {
        const verdict = await decideApproval(store, answer, { ...ports, tools: toolsByName() })
        const by = 'approval' in verdict ? verdict.approval.decidedBy : null
        say({ kind: 'verdict', verdict: verdict.kind, by })
      }
      return
    case 'resolve': {
      const { callId, resolution } = task
      const record = (await store.journal.callsInState(['Unknown'])).find((call) => call.id === callId)
      const { kind } = await resolveCall(store, callId, resolution, {
        ...ports,
        tool: toolsByName().get(record?.tool ?? '') ?? null,
      })
      return say({ kind: 'verdict', verdict: kind, by: resolution.by })
    }
    default:
      task satisfies never
  }
}

function tell({ runId, stopReason, text, approvals, refused }: RunResult): void {
  const shown = approvals.map(({ id, tool, arguments: args }) => ({ id, tool, arguments: args }))
  say({ kind: 'stopped', runId, stopReason, text, approvals: shown, refused: refused.map(({ reason }) => reason) })
}

/** An agent inside a call has tools the outer one does not know: the person speaks to the desk, which has them all. */
function toolsByName(): ReadonlyMap<string, Tool> {
  return new Map<string, Tool>(toolsOfDesk(order, reached).map((tool) => [tool.contract.name, tool]))
}
