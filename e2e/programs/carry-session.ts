// A process of its own for sessions that travel. `talk` holds a conversation and prints it serialised; `go-on` restores
// the one a file holds (into memory for "-", else into a store file) and holds the next run.
// Arguments: talk | go-on, then for go-on: the file with the JSON, the store file or "-".
import { readFileSync } from 'node:fs'
import { Agent, memoryStore, tool } from '@fairlead/runtime'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { sqliteStore } from '@fairlead/store'

const [mode = '', json = '', file = '-'] = process.argv.slice(2)

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up one item.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
  effects: 'read',
  execute: () => ({ found: true }),
})

const store = file === '-' ? memoryStore() : sqliteStore({ file })
const talk = [{ text: 'I look.', calls: [{ name: 'look_up', arguments: { item: 'a' } }] }, 'It is there.']
const model = new ScriptedChatClient(mode === 'talk' ? talk : ['Still there.'])
const agent = new Agent({ model, tools: [lookUp], store, principal: { id: 'tester' } })

if (mode === 'talk') {
  const session = await agent.session()
  await agent.run('Is a there?', { session })
  say({ kind: 'serialised', session: await session.serialise() })
} else {
  const session = await agent.restoreSession(readFileSync(json, 'utf8'))
  const restored = await session.serialise()
  const result = await agent.run('And now?', { session })
  say({ kind: 'went-on', restored, told: model.requests[0]?.messages, text: result.text, messages: result.messages })
}
await store.close()
