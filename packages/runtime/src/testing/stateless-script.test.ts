import { expect, it } from 'vitest'
import { Agent, memoryStore, tool } from '../core/index.ts'
import { statelessScript } from './stateless-script.ts'

const door = tool({
  name: 'open_door',
  description: 'Opens a door.',
  inputSchema: { type: 'object' },
  effects: 'write',
  needsApproval: true,
  execute: () => ({ open: true }),
})

it.each(['run', 'stream'] as const)(
  'serves a run that another client of the same script goes on with: %s',
  async (way) => {
    const store = memoryStore()
    // A client of its own each time, as two processes have.
    const agent = (): Agent =>
      new Agent({
        store,
        tools: [door],
        model: statelessScript([{ text: 'I ask.', calls: [{ name: 'open_door' }] }, 'Open.']),
      })
    const input = 'Open it.'
    const first = way === 'run' ? await agent().run(input) : await agent().stream(input).result
    expect(first.stopReason).toBe('approval_required')
    const answers = first.approvals.map((approval) => approval.approve({ by: 'ann' }))
    const second = await agent().run(answers)
    expect(second).toMatchObject({ stopReason: 'answered', text: 'Open.' })
  },
)

it('says which turn is missing', async () => {
  const { stopReason, error } = await new Agent({ model: statelessScript([]) }).run('Go.')
  expect({ stopReason, error }).toEqual({
    stopReason: 'model_error',
    error: expect.stringContaining('The script has 0 turns; turn 1 was asked for.'),
  })
})
