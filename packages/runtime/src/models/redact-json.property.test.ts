import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { Agent, tool, type Json } from '../core/index.ts'
import { ScriptedChatClient } from '../testing/index.ts'
import { recorded } from './recorded.ts'
import { redactJson } from './redact-json.ts'

const secret = 's3cr3t-d4b5'
const key = fc.constantFrom('password', 'api_key', 'Api-Key', 'authorization', 'SET_COOKIE', 'clientSecret')
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
    fc
      .tuple(key, fc.constantFrom<Json>(secret, [secret], { deep: secret }))
      .map(([name, value]) => ({ [name]: value })),
    fc.dictionary(fc.string(), tie('tree'), { maxKeys: 3 }),
    fc.array(tie('tree'), { maxLength: 3 }),
    tie('tree').map((value) => JSON.stringify(value)),
  ),
}))

it('never keeps a value under a name that speaks of a secret, inside JSON texts too', () => {
  let looked = 0
  fc.assert(
    fc.property(tree, (value) => {
      if (JSON.stringify(value).includes(secret)) looked++
      expect(JSON.stringify(redactJson(value, {}))).not.toContain(secret)
    }),
    { numRuns: 300 },
  )
  expect(looked).toBeGreaterThan(30)
})

it('leaves texts without such names exactly as they are', () => {
  const texts = ['{ "query" :  "a" }', '{"a":', '[1, 2]', 'password: x', '']
  for (const text of texts) expect(redactJson(text, {})).toBe(text)
})

it('takes further names and a rule for texts, and a redacted conversation still replays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-cassette-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'turns.jsonl')
  const login = tool({
    name: 'login',
    description: 'Logs in.',
    inputSchema: { type: 'object' },
    effects: 'read',
    execute: () => ({ pin: secret, note: `ticket-${secret}` }),
  })
  const redact = { keys: ['pin'], text: (text: string) => text.replaceAll(/ticket-\S+/g, 'ticket-…') }
  const call = { name: 'login', arguments: { password: secret, user: 'ann' } }
  const client = new ScriptedChatClient([{ text: `For ticket-${secret}`, calls: [call] }, 'In.'])
  const live = await new Agent({ model: recorded(client, file, { redact }), tools: [login] }).run('Log in')
  expect(JSON.stringify(live.messages)).toContain(secret)
  expect(readFileSync(file, 'utf8')).not.toContain(secret)
  expect(readFileSync(file, 'utf8')).toContain('ann')
  const replay = await new Agent({ model: recorded(null, file, { redact }), tools: [login] }).run('Log in')
  expect(replay).toMatchObject({ stopReason: 'answered', text: 'In.' })
})
