import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, tool, type AgentOptions, type Policy } from '../index.ts'
import { ScriptedChatClient } from '../../testing/index.ts'

const denying: Policy = { decide: () => ({ effect: 'deny', rules: ['r'] }) }
const move = tool({ name: 'move', description: 'Moves.', inputSchema: z.object({}), execute: () => 'moved' })
const model = (): ScriptedChatClient => new ScriptedChatClient([{ calls: [{ name: 'move', arguments: {} }] }, 'done'])

class Settings {
  get policy(): Policy {
    return denying
  }
}

const given: readonly (readonly [string, () => AgentOptions])[] = [
  ['inherited', () => Object.assign(Object.create({ policy: denying }) as object, { model: model(), tools: [move] })],
  ['a getter of a class', () => Object.assign(new Settings(), { model: model(), tools: [move] })],
]

it.each(given)(
  'a policy that is %s holds for the agent, for one made from it, and inside a call',
  async (_, options) => {
    const agents = [new Agent(options()), new Agent(options()).with({ name: 'other' })]
    for (const agent of agents) {
      const { runId } = await agent.run('go')
      expect((await agent.store.journal.calls(runId))[0]?.result?.errorCode).toBe('PERMISSION_DENIED')
    }
    const inner = new Agent(options())
    const outer = new Agent({
      model: new ScriptedChatClient([{ calls: [{ name: 'inner', arguments: { task: 'x' } }] }, 'done']),
      tools: [inner.asTool({ name: 'inner' })],
    })
    await outer.run('go')
    const inside = (await outer.store.journal.runs({})).find(({ parent }) => parent !== null)
    expect((await outer.store.journal.calls(inside?.id ?? ''))[0]?.result?.errorCode).toBe('PERMISSION_DENIED')
  },
)

it('an inherited option of the wrong kind is refused like any other', () => {
  const options = Object.assign(Object.create({ policy: {} }) as object, { model: model() })
  expect(() => new Agent(options)).toThrow(/policy must be/)
})
