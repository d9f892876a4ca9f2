import type { ApprovalAnswer, Approval, CallRecord, HostAnswer, Resolution } from '@fairlead/runtime/core'
import { itemOf, type Ledger } from './ledger.ts'
import type { Task } from './order.ts'
import type { Random } from './seeded.ts'
import type { Seen } from './look-at-store.ts'

/** What people do about a run that waits: decide what is pending, answer the host's calls, look at what is in doubt. */
export function randomTasks(seen: Seen, ledger: Ledger, random: Random, by: string): readonly Task[] {
  const tasks: Task[] = []
  const approvals = seen.runs.flatMap((one) => one.approvals.filter(({ status }) => status === 'pending'))
  const answers = approvals.filter(() => random.chance(0.8)).map((approval) => randomAnswer(approval, random, by))
  if (answers.length > 0) tasks.push(answersTask(answers, random))
  for (const call of seen.runs.flatMap(({ calls }) => calls)) {
    if (call.state === 'AwaitingClient') {
      tasks.push({ do: 'answer', answers: [hostAnswer(call)] })
    } else if (call.state === 'Unknown') {
      tasks.push({ do: 'resolve', callId: call.id, resolution: resolutionOf(call, ledger, random, by) })
    }
  }
  return tasks
}

function answersTask(answers: readonly ApprovalAnswer[], random: Random): Task {
  if (random.chance(0.5)) return { do: 'decide', answers }
  return { do: 'answer', answers: answers.map((answer) => ({ kind: 'function_approval_response', ...answer })) }
}

function randomAnswer({ id, arguments: args }: Approval, random: Random, by: string): ApprovalAnswer {
  const yes = { id, approved: true, by } as const
  switch (random.below(6)) {
    case 0:
      return { id, approved: false, by, reason: 'Not today.' }
    case 1:
      return { ...yes, edit: { ...args, item: `${itemOf(args)}-edited` } }
    case 2:
      return { ...yes, remember: { what: random.pick(['tool', 'arguments']), scope: random.pick(['session', 'user']) } }
    default:
      return yes
  }
}

function hostAnswer({ id, providerCallId, tool }: CallRecord): HostAnswer {
  const content = [{ kind: 'text', text: 'The host says so.' }] as const
  return { kind: 'function_result', call: id, callId: providerCallId, name: tool, status: 'success', content }
}

/** A person who looks at the ledger and tells the truth. */
function resolutionOf(call: CallRecord, { effects }: Ledger, random: Random, by: string): Resolution {
  const effect = effects.find(({ callId }) => callId === call.id)
  if (effect !== undefined) return { kind: 'done', by, result: { number: effect.number } }
  return call.result === null && random.chance(0.6) ? { kind: 'retry', by } : { kind: 'notDone', by }
}
