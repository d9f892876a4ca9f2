import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  tool,
  toolApproval,
  type AgentOptions,
} from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

/** Errors a careless or hostile library throws. */
const errors: readonly (readonly [string, () => unknown])[] = [
  ['a message that is no text', () => Object.assign(new Error('x'), { message: { a: 1 } })],
  [
    'a message that throws when it is read',
    () =>
      Object.defineProperty(new Error('x'), 'message', {
        get() {
          throw new Error('no message for you')
        },
      }),
  ],
  ['a name that is a symbol', () => Object.assign(new Error('x'), { name: Symbol('n'), message: Symbol('m') })],
  [
    'a proxy that refuses everything',
    () =>
      new Proxy(
        {},
        {
          get() {
            throw new Error('no')
          },
          getPrototypeOf() {
            throw new Error('no')
          },
        },
      ),
  ],
  ['undefined', () => undefined],
]

const move = tool({ name: 'move', description: 'Moves.', inputSchema: z.object({}), execute: () => 'moved' })
const model = (): ScriptedChatClient => new ScriptedChatClient([{ calls: [{ name: 'move', arguments: {} }] }, 'done'])

const places: readonly (readonly [string, (fail: () => never) => AgentOptions])[] = [
  ['a model', (fail) => ({ model: { model: 'm', generate: async () => fail() } })],
  [
    'a streamed model',
    (fail) => ({
      model: {
        model: 'm',
        generate: async () => fail(),
        // oxlint-disable-next-line require-yield -- it fails before it says anything
        async *stream() {
          fail()
        },
      },
    }),
  ],
  [
    'a tool',
    (fail) => ({
      model: model(),
      includeDetailedErrors: true,
      tools: [tool({ name: 'move', description: 'Moves.', inputSchema: z.object({}), execute: () => fail() })],
    }),
  ],
  ['a history hook', (fail) => ({ model: model(), tools: [move], history: async () => fail() })],
  ['agent middleware', (fail) => ({ model: model(), tools: [move], middleware: [agentMiddleware(() => fail())] })],
  ['chat middleware', (fail) => ({ model: model(), tools: [move], middleware: [chatMiddleware(() => fail())] })],
  [
    'function middleware before',
    (fail) => ({ model: model(), tools: [move], middleware: [functionMiddleware(() => fail())] }),
  ],
  [
    'function middleware after',
    (fail) => ({
      model: model(),
      tools: [move],
      middleware: [
        functionMiddleware(async (_, next) => {
          await next()
          fail()
        }),
      ],
    }),
  ],
  [
    'a guard',
    (fail) => ({ model: model(), tools: [move], middleware: [chatMiddleware(() => fail(), { guard: true })] }),
  ],
  [
    'a context provider before',
    (fail) => ({ model: model(), contextProviders: [{ name: 'p', beforeRun: () => fail() }] }),
  ],
  [
    'a context provider after',
    (fail) => ({ model: model(), tools: [move], contextProviders: [{ name: 'p', afterRun: () => fail() }] }),
  ],
  [
    'a policy',
    (fail) => ({
      model: model(),
      tools: [move],
      policy: { decide: () => fail() },
    }),
  ],
  [
    "a tool's own rule for approval",
    (fail) => ({
      model: model(),
      tools: [
        tool({
          name: 'move',
          description: 'Moves.',
          inputSchema: z.object({}),
          needsApproval: () => fail(),
          execute: () => 'moved',
        }),
      ],
    }),
  ],
  [
    'a rule of auto-approval',
    (fail) => ({
      model: model(),
      tools: [
        tool({ name: 'move', description: 'Moves.', inputSchema: z.object({}), needsApproval: true, execute: () => 1 }),
      ],
      middleware: [toolApproval({ autoApprove: () => fail() })],
    }),
  ],
  ['an executor', (fail) => ({ model: model(), tools: [move], executor: { execute: () => fail() } })],
  ['a recorder', (fail) => ({ model: model(), tools: [move], recorder: { record: async () => fail() } })],
  ['an observation mapper', (fail) => ({ model: model(), tools: [move], observation: { map: () => fail() } })],
  [
    'labels before',
    (fail) => ({ model: model(), tools: [move], labels: { expand: () => fail(), conceal: (items) => items } }),
  ],
  [
    'labels after',
    (fail) => ({ model: model(), tools: [move], labels: { expand: (args) => args, conceal: () => fail() } }),
  ],
  ['a price', (fail) => ({ model: model(), tools: [move], price: () => fail() })],
  [
    'a logger',
    (fail) => ({
      model: model(),
      tools: [move],
      logger: { info: fail, warn: fail },
      middleware: [
        functionMiddleware(async (context, next) => {
          context.logger.info('about to go on')
          await next()
          throw new Error('after')
        }),
      ],
    }),
  ],
]

const cases = places.flatMap(([place, optionsOf]) =>
  errors.map(([what, make]) => [`${place}: ${what}`, optionsOf, make] as const),
)

it.each(cases)(
  'a run ends with a reason and every call has its answer when this is thrown by %s',
  async (_, optionsOf, make) => {
    for (const streamed of [false, true]) {
      let thrown = 0
      const agent = new Agent(
        optionsOf(() => {
          thrown++
          // oxlint-disable-next-line only-throw-error -- the point of the test
          throw make()
        }),
      )
      const result = await (streamed ? agent.stream('go').result : agent.run('go'))
      expect(['answered', 'model_error', 'terminated', 'approval_required']).toContain(result.stopReason)
      const calls = await agent.store.journal.calls(result.runId)
      expect(calls.filter((call) => call.result === null)).toHaveLength(result.approvals.length)
      expect(thrown).toBeGreaterThan(0)
    }
  },
)
