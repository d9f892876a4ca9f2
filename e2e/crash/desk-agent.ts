import { Agent, tool, ToolError, type Tool, type ToolClass } from '@fairlead/runtime'
import { statelessScript } from '@fairlead/runtime/testing'
import type { InvocationContext, JsonObject, Store } from '@fairlead/runtime/core'
import { ask, doAt } from './ask-remote.ts'
import type { Reached } from './fuse.ts'
import { mortalClock, mortalExecutor, mortalModel, mortalPolicy, mortalRecorder } from './mortal-ports.ts'
import type { Order } from './order.ts'

/** The tools of the desk that act on the remote, by their class. */
export const deskTools: { readonly [name: string]: ToolClass } = {
  read_meter: 'readOnly',
  set_label: 'idempotencyKey',
  set_label_today: 'idempotencyKey',
  book_room: 'queryable',
  post_row: 'transactional',
  send_mail: 'nonIdempotent',
}

const inputSchema = {
  type: 'object',
  properties: { item: { type: 'string', maxLength: 40 }, gated: { type: 'boolean' } },
  required: ['item'],
  additionalProperties: false,
} as const

/** What of an order an agent is made of. */
export type DeskSetting = Pick<
  Order,
  'remote' | 'script' | 'leaseMs' | 'innerLeaseMs' | 'clockAheadMs' | 'version' | 'denied' | 'windowMs'
>

/** The agent under test: a scripted model and one tool of each class, all of which act on the remote. */
export function deskAgent(store: Store, setting: DeskSetting, reached: Reached = () => undefined): Agent {
  const { script, leaseMs, innerLeaseMs = leaseMs, denied = [], clockAheadMs = 0 } = setting
  const tools = toolsOfDesk(setting, reached)
  const ports = {
    store,
    executor: mortalExecutor(reached),
    recorder: mortalRecorder(reached),
    policy: mortalPolicy(denied, reached),
    clock: mortalClock(clockAheadMs, reached),
    principal: { id: 'tester' },
    ...(leaseMs === undefined ? {} : { leaseMs }),
  }
  const inner = new Agent({
    ...ports,
    ...(innerLeaseMs === undefined ? {} : { leaseMs: innerLeaseMs }),
    name: 'helper',
    model: mortalModel(statelessScript(script.inner), reached),
    tools,
  })
  const delegate = inner.asTool({ name: 'delegate', inputSchema, prompt: () => 'Help.', effects: 'write' })
  return new Agent({
    ...ports,
    name: 'desk',
    model: mortalModel(statelessScript(script.turns), reached),
    tools: [...tools, delegate],
  })
}

/** The desk's own tools, the one the host answers itself included. */
export function toolsOfDesk(setting: DeskSetting, reached: Reached): readonly Tool<never>[] {
  const { remote, version = '1', windowMs } = setting
  const acting = Object.entries(deskTools).map(([name, toolClass]) =>
    tool({
      name,
      description: `Acts on the remote (${toolClass}).`,
      inputSchema,
      version,
      class: toolClass,
      effects: toolClass === 'readOnly' ? 'read' : 'write',
      editable: true,
      needsApproval: ({ arguments: args }) => args['gated'] === true,
      execute: (args: JsonObject, context: InvocationContext) =>
        act(remote, { name, toolClass, args }, context, reached),
      ...(name === 'set_label_today' && windowMs !== undefined ? { idempotency: { windowMs } } : {}),
      ...(toolClass === 'queryable'
        ? { reconcile: (_: unknown, context: InvocationContext) => reconcile(remote, context, reached) }
        : {}),
    }),
  )
  const askHost = tool({ name: 'ask_host', description: 'The host answers.', inputSchema, effects: 'read' })
  return [...acting, askHost]
}

async function act(
  remote: string,
  { name, toolClass, args }: { readonly name: string; readonly toolClass: ToolClass; readonly args: JsonObject },
  context: InvocationContext,
  reached: Reached,
): Promise<unknown> {
  const effect = {
    key: context.idempotencyKey,
    tool: name,
    arguments: args,
    callId: context.call.id,
    attempt: context.call.attempts,
    honoursKey: toolClass === 'idempotencyKey',
  }
  const sent = (): void => reached(`sent ${name}`)
  const { status, body } = await doAt(remote, effect, { signal: context.signal, sent })
  if (status !== 200) throw new ToolError('UNAVAILABLE', 'The remote does not take requests now.')
  return { number: body['number'] }
}

async function reconcile(remote: string, { idempotencyKey }: InvocationContext, reached: Reached): Promise<unknown> {
  reached('before reconcile')
  const { body } = await ask(`${remote}/effects/${encodeURIComponent(idempotencyKey)}`)
  reached('after reconcile')
  if (body['state'] === 'done') return { done: true, result: { number: body['number'] } }
  return body['state'] === 'absent' ? { done: false } : { done: 'unsure' }
}
