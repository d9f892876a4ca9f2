import { expect, it } from 'vitest'
import { Agent, memoryStore, type Store } from '../index.ts'
import { ScriptedChatClient } from '../../testing/index.ts'

/** Counts how often a store is closed, in place: the agent keeps the very object. */
function counted(store: Store): { readonly store: Store; readonly closed: () => number } {
  let closed = 0
  const close = (): Promise<void> => {
    closed += 1
    return Promise.resolve()
  }
  return { store: Object.assign(store, { close }), closed: () => closed }
}

const model = new ScriptedChatClient(['hello'])

it('closes the store the agent made itself, once, when its scope ends', async () => {
  let closed: () => number
  {
    await using agent = new Agent({ model })
    closed = counted(agent.store).closed
    expect((await agent.run('hi')).text).toBe('hello')
    expect(closed()).toBe(0)
  }
  expect(closed()).toBe(1)
})

it('closes once, however often and together it is asked', async () => {
  const agent = new Agent({ model })
  const { closed } = counted(agent.store)
  await Promise.all([agent.close(), agent.close()])
  await agent[Symbol.asyncDispose]()
  expect(closed()).toBe(1)
})

it('never closes a store it was given', async () => {
  const { store, closed } = counted(memoryStore())
  {
    await using agent = new Agent({ model, store })
    await agent.close()
  }
  expect(closed()).toBe(0)
})

it('leaves the store to the original: a copy that shares it does not close it', async () => {
  const agent = new Agent({ model })
  const { closed } = counted(agent.store)
  {
    await using copy = agent.with({ name: 'copy' })
    await using copyOfCopy = copy.with({ instructions: 'Be brief.' })
    expect(copyOfCopy.store).toBe(agent.store)
  }
  expect(closed()).toBe(0)
  await agent.close()
  expect(closed()).toBe(1)
})
