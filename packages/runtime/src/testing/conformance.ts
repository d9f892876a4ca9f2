import assert from 'node:assert/strict'
import {
  textOf,
  tool,
  type Agent,
  type ChatClient,
  type FunctionResultPart,
  type Json,
  type Tool,
} from '../core/index.ts'
import { ScriptedChatClient } from './scripted-chat-client.ts'

/** Makes the agent under test from a scripted model and the suite's tools: your options, your store, your policy. */
export type MakeAgent = (parts: {
  readonly model: ChatClient
  readonly tools: readonly Tool[]
}) => Agent | Promise<Agent>

/** One case. `run` resolves when the agent answers rightly and rejects with an assertion error that says what it did. */
export type ConformanceCase = { readonly name: string; readonly run: (makeAgent: MakeAgent) => Promise<void> }

type BadCall = {
  readonly name: string
  readonly tool: string
  readonly arguments: Json
  /** The code of the answer, or `success`. */
  readonly answer: string
  /** Words the model must be given. */
  readonly says?: readonly string[]
  /** How often the tool may run. Default never. */
  readonly runs?: number
}

/** What the throwing tool's error holds and nobody but the host may see. */
const leak = 'hunter2'

const badCalls: readonly BadCall[] = [
  {
    name: 'an unknown tool is an error result that names the tools',
    tool: 'nope',
    arguments: {},
    answer: 'UNKNOWN_TOOL',
    says: ['add'],
  },
  {
    name: 'invalid JSON never runs',
    tool: 'add',
    arguments: '{"a": 1; "b": 2}',
    answer: 'INVALID_ARGUMENT',
    says: ['JSON'],
  },
  {
    name: 'truncated JSON never runs, though every argument is optional',
    tool: 'optional',
    arguments: '{"city": "Par',
    answer: 'INVALID_ARGUMENT',
    says: ['JSON'],
  },
  {
    name: 'JSON in a code fence never runs and is told so',
    tool: 'add',
    arguments: '```json\n{"a":1,"b":2}\n```',
    answer: 'INVALID_ARGUMENT',
    says: ['fence'],
  },
  {
    name: 'empty arguments count as {} where the schema accepts it',
    tool: 'optional',
    arguments: '',
    answer: 'success',
    runs: 1,
  },
  {
    name: 'a wrong type and a missing argument are both named',
    tool: 'add',
    arguments: { a: 'x' },
    answer: 'INVALID_ARGUMENT',
    says: ['a', 'b'],
  },
  {
    name: 'a text is not coerced to a number',
    tool: 'add',
    arguments: { a: '1', b: 2 },
    answer: 'INVALID_ARGUMENT',
    says: ['a'],
  },
  {
    name: 'an extra key is refused where the schema is closed',
    tool: 'add',
    arguments: { a: 1, b: 2, c: 3 },
    answer: 'INVALID_ARGUMENT',
    says: ['c'],
  },
  {
    name: 'a throwing tool is answered without its message, stack or secrets',
    tool: 'boom',
    arguments: {},
    answer: 'INTERNAL',
    runs: 1,
  },
  {
    name: 'a tool named constructor is an ordinary unknown name',
    tool: 'constructor',
    arguments: {},
    answer: 'UNKNOWN_TOOL',
  },
]

/** Parallel calls of one turn, around the number from which a peer loses stream events. */
const parallel = [1, 16, 17, 20, 30, 64, 500]

/**
 * The bad calls that break peers, and parallel calls whose stream events a peer loses, with the right answers; for any
 * agent you build and any test runner. What is checked beside the answer: the run goes on to its final text and a named
 * stop reason, the conversation pairs every call with one result, streamed and not.
 */
export const conformanceCases: readonly ConformanceCase[] = [
  ...[false, true].flatMap((streaming) =>
    badCalls.map((call) => ({
      name: `${call.name}${streaming ? ' (streamed)' : ''}`,
      run: (makeAgent: MakeAgent) => runBadCall(call, makeAgent, streaming),
    })),
  ),
  ...parallel.map((count) => ({
    name: `${count} parallel calls deliver every event once and the final answer`,
    run: (makeAgent: MakeAgent) => runParallel(count, makeAgent),
  })),
]

async function runBadCall(call: BadCall, makeAgent: MakeAgent, streaming: boolean): Promise<void> {
  const ran: string[] = []
  const model = new ScriptedChatClient([{ calls: [{ name: call.tool, arguments: call.arguments }] }, 'going on'])
  const agent = await makeAgent({ model, tools: suiteTools(ran) })
  const result = streaming ? await agent.stream('go').result : await agent.run('go')
  const answers = result.messages.flatMap((message) => message.parts).filter((part) => part.kind === 'function_result')
  assert.equal(
    result.stopReason,
    'answered',
    `the run stopped with ${result.stopReason} (${result.error ?? 'no error'})`,
  )
  assert.equal(result.text, 'going on', 'the final text is missing')
  assert.equal(answers.length, 1, `the call has ${answers.length} results`)
  const answer = answers[0] as FunctionResultPart
  assert.equal(answer.errorCode ?? answer.status, call.answer)
  assert.equal(ran.length, call.runs ?? 0, `a tool ran ${ran.length} times`)
  const shown = `${textOf(answer.content)}${JSON.stringify(answer.content)}`
  for (const words of call.says ?? [])
    assert.ok(shown.includes(words), `the model was not told of ${JSON.stringify(words)}: ${shown}`)
  assert.ok(!JSON.stringify(result.messages).includes(leak), 'a secret of the error reached the conversation')
  assert.ok(!/\bat .+:\d+:\d+/.test(shown), 'a stack reached the model')
}

async function runParallel(count: number, makeAgent: MakeAgent): Promise<void> {
  const ran: string[] = []
  const calls = Array.from({ length: count }, (_, n) => ({ name: 'add', arguments: { a: n, b: 1 } }))
  const agent = await makeAgent({ model: new ScriptedChatClient([{ calls }, 'done']), tools: suiteTools(ran) })
  const stream = agent.stream('go')
  const steps = new Map<string, string[]>()
  let final = ''
  for await (const update of stream) {
    if (update.kind === 'text-delta') final += update.text
    if (update.kind !== 'call-moved') continue
    const known = steps.get(update.call.id) ?? []
    steps.set(update.call.id, [...known, ...update.transitions.map(({ state }) => state)])
  }
  const result = await stream.result
  assert.equal(result.stopReason, 'answered')
  assert.equal(final, 'done', 'the final answer never arrived')
  assert.equal(steps.size, count, `events of ${steps.size} of ${count} calls arrived`)
  for (const states of steps.values()) assert.equal(new Set(states).size, states.length, 'an event arrived twice')
  assert.equal(ran.length, count)
  const sums = result.messages
    .flatMap((message) => message.parts)
    .flatMap((part) => (part.kind === 'function_result' ? [JSON.stringify(part.content)] : []))
  assert.equal(sums.length, count)
  for (const [n, sum] of sums.entries()) assert.ok(sum.includes(String(n + 1)), `result ${n} is out of order`)
}

function suiteTools(ran: string[]): readonly Tool[] {
  const number = { type: 'number' } as const
  return [
    tool({
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: {
        type: 'object',
        properties: { a: number, b: number },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      effects: 'read',
      execute: ({ a, b }) => {
        ran.push('add')
        return { sum: Number(a) + Number(b) }
      },
    }),
    tool({
      name: 'optional',
      description: 'Everything is optional.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      effects: 'read',
      execute: () => {
        ran.push('optional')
        return 'ran'
      },
    }),
    tool({
      name: 'boom',
      description: 'Throws.',
      inputSchema: { type: 'object', properties: {} },
      effects: 'read',
      execute: () => {
        ran.push('boom')
        throw new Error(`boom: db password=${leak}`)
      },
    }),
  ]
}
