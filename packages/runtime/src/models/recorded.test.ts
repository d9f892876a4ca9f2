import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Agent, tool, type ChatClient, type ChatRequest, type RunResult, type RunUpdate } from '../core/index.ts'
import { ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'
import { recorded } from './recorded.ts'

function cassetteFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-cassette-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'turns.jsonl')
}

function linesOf(file: string): readonly { readonly kind: string }[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string })
}

const asked: unknown[] = []
const search = tool({
  name: 'search',
  description: 'Searches.',
  inputSchema: { type: 'object' },
  effects: 'read',
  execute: (args) => {
    asked.push(args)
    // Too large to be shown: the model reads where the evidence is.
    return 'x'.repeat(70_000)
  },
})

function evidenceIn(request: ChatRequest): string {
  return /evidence:\/\/\w+\/\w+/.exec(JSON.stringify(request.messages))?.[0] ?? 'none'
}

const script: readonly ScriptedTurn[] = [
  { text: 'Let me see.', calls: [{ name: 'search', arguments: { query: 'a' } }, { name: 'search' }] },
  (request) => ({ calls: [{ name: 'search', arguments: { uri: evidenceIn(request) } }] }),
  'Here you are.',
]

async function talk(model: ChatClient, streamed: boolean): Promise<{ result: RunResult; updates: RunUpdate[] }> {
  const agent = new Agent({ model, instructions: 'You search.', tools: [search] })
  if (!streamed) return { result: await agent.run('Find it.'), updates: [] }
  const updates: RunUpdate[] = []
  const stream = agent.stream('Find it.')
  for await (const update of stream) updates.push(update)
  return { result: await stream.result, updates }
}

const ways = [
  { recordedAs: 'whole', replayedAs: 'whole' },
  { recordedAs: 'whole', replayedAs: 'streamed' },
  { recordedAs: 'streamed', replayedAs: 'whole' },
  { recordedAs: 'streamed', replayedAs: 'streamed' },
]

describe('recorded', () => {
  it.each(ways)('replays in another run what it recorded: $recordedAs, then $replayedAs', async (way) => {
    const file = cassetteFile()
    const first = await talk(recorded(new ScriptedChatClient(script), file), way.recordedAs === 'streamed')
    expect(first.result).toMatchObject({ stopReason: 'answered', text: 'Here you are.' })
    asked.length = 0
    const replay = recorded(null, file)
    const second = await talk(replay, way.replayedAs === 'streamed')
    expect(second.result).toMatchObject({ stopReason: 'answered', text: 'Here you are.', error: null })
    expect(second.result.usage).toEqual(first.result.usage)
    expect(replay.model).toBe('scripted')
    expect(replay.notice).toContain(file)
    // The evidence the model asks for is that of the run that goes on now, not of the recorded one.
    const { runId } = second.result
    expect(asked).toEqual([{ query: 'a' }, {}, { uri: expect.stringContaining(`evidence://${runId}/call_`) }])
    if (way.recordedAs === 'streamed' && way.replayedAs === 'streamed') {
      const texts = (updates: readonly RunUpdate[]): unknown => updates.filter(({ kind }) => kind === 'text-delta')
      expect(texts(second.updates)).toEqual(texts(first.updates))
    }
  })

  it('keeps each message once, however many turns hold it', async () => {
    const file = cassetteFile()
    await talk(recorded(new ScriptedChatClient(script), file), false)
    const kinds = linesOf(file).map(({ kind }) => kind)
    expect(kinds[0]).toBe('cassette')
    expect(kinds.filter((kind) => kind === 'turn')).toHaveLength(3)
    // Instructions, choice, tools; then the messages: user, two of the assistant, two of tools.
    expect(kinds.filter((kind) => kind === 'piece')).toHaveLength(8)
  })

  it('asks the client for what it does not know, and only for that, in auto', async () => {
    const file = cassetteFile()
    await talk(recorded(new ScriptedChatClient(script), file), true)
    const client = new ScriptedChatClient(['Another.'])
    const auto = recorded(client, file)
    expect((await talk(auto, true)).result.text).toBe('Here you are.')
    expect(client.requests).toHaveLength(0)
    const agent = new Agent({ model: auto })
    expect((await agent.run('Something else.')).text).toBe('Another.')
    expect((await new Agent({ model: recorded(null, file) }).run('Something else.')).text).toBe('Another.')
  })

  it('begins anew in record, at the first turn that succeeds', async () => {
    const file = cassetteFile()
    await talk(recorded(new ScriptedChatClient(script), file), true)
    const before = readFileSync(file, 'utf8')
    const failing = recorded(new ScriptedChatClient([{ error: new Error('offline') }]), file, { mode: 'record' })
    expect((await talk(failing, true)).result.stopReason).toBe('model_error')
    expect(readFileSync(file, 'utf8')).toBe(before)
    await talk(recorded(new ScriptedChatClient(['Short.']), file, { mode: 'record' }), true)
    expect((await talk(recorded(null, file), true)).result.text).toBe('Short.')
    expect(linesOf(file).filter(({ kind }) => kind === 'turn')).toHaveLength(1)
  })

  it('answers equal requests in the order they were recorded, then with the last', async () => {
    const file = cassetteFile()
    const recording = recorded(new ScriptedChatClient(['One.', 'Two.']), file, { mode: 'record' })
    for (const text of ['One.', 'Two.']) expect((await new Agent({ model: recording }).run('Hi')).text).toBe(text)
    const replay = new Agent({ model: recorded(null, file) })
    const texts: string[] = []
    for (let count = 0; count < 3; count++) texts.push((await replay.run('Hi')).text)
    expect(texts).toEqual(['One.', 'Two.', 'Two.'])
  })

  it('fails loudly on a request it does not know, saying where it differs and how to record', async () => {
    const file = cassetteFile()
    await talk(recorded(new ScriptedChatClient(script), file), false)
    const agent = new Agent({ model: recorded(null, file), instructions: 'You search.', tools: [search] })
    const result = await agent.run('Find that.')
    expect(result.stopReason).toBe('model_error')
    expect(result.error).toContain(
      'differs at messages.0.parts.0.text: recorded "Find it.", asked "Find that.". Record it by running with a client',
    )
    const other = new Agent({ model: recorded(null, file), instructions: 'You find.', tools: [search] })
    expect((await other.run('Find it.')).error).toContain(
      'differs at instructions: recorded "You search.", asked "You find."',
    )
  })

  it('does not keep a turn whose stream was cut', async () => {
    const file = cassetteFile()
    const cut = new ScriptedChatClient([
      { updates: [{ kind: 'text-delta', id: '0', text: 'Hel' }], error: new Error('whole') },
      'Hello.',
    ])
    const model = recorded(cut, file)
    expect((await new Agent({ model }).stream('Hi').result).stopReason).toBe('model_error')
    expect((await new Agent({ model }).stream('Hi').result).text).toBe('Hello.')
    expect(linesOf(file).filter(({ kind }) => kind === 'turn')).toHaveLength(1)
  })

  it('rejects at an abort, recorded or not', async () => {
    const file = cassetteFile()
    const model = recorded(new ScriptedChatClient(['Hi.']), file)
    await new Agent({ model }).run('Hi')
    const request: ChatRequest = {
      instructions: undefined,
      messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }],
      tools: [],
      toolChoice: 'auto',
      signal: AbortSignal.abort(new Error('enough')),
    }
    await expect(model.generate(request)).rejects.toThrow('enough')
    await expect(model.stream?.(request)[Symbol.asyncIterator]().next()).rejects.toThrow('enough')
  })
})

describe('a cassette that cannot be used', () => {
  it('is refused at once when it is missing, or when there is no client to record', () => {
    const file = cassetteFile()
    expect(() => recorded(null, file)).toThrow(/There is no cassette at .*mode 'record'/)
    expect(() => recorded(null, file, { mode: 'record' })).toThrow(/expected a client to record with/)
  })

  const header = '{"kind":"cassette","version":1,"model":"m"}'
  it.each([
    ['{"kind":"turn"}', /line 1: expected the header/],
    ['{"kind":"cassette","version":2,"model":"m"}', /line 1: expected version 1, found 2/],
    [`${header}\n{"kind":"tu`, /line 2: expected JSON/],
    [`${header}\n[]`, /line 2: expected an object/],
    [`${header}\n{"kind":"note"}`, /line 2: expected a cassette, piece or turn/],
    [`${header}\n{"kind":"turn","digest":"a","request":[["x"]],"answer":{}}`, /line 2: expected \[place, digest\]/],
    [`${header}\n{"kind":"turn","digest":"a","request":[],"answer":{}}`, /line 2: expected a whole or a streamed/],
    [
      `${header}\n{"kind":"turn","digest":"a","request":[],"answer":{"kind":"streamed","updates":[{"kind":"part","part":{"kind":"x"}}]}}`,
      /line 2: .*messages/,
    ],
  ])('is refused with its line: %s', (text, message) => {
    const file = cassetteFile()
    writeFileSync(file, text)
    expect(() => recorded(null, file)).toThrow(message)
    expect(() => recorded(null, file)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})

describe('the folder of a recording', () => {
  it('is made where it is missing', async () => {
    const file = join(dirname(cassetteFile()), 'deep', 'down', 'turns.jsonl')
    await talk(recorded(new ScriptedChatClient(script), file), false)
    expect((await talk(recorded(null, file), false)).result.text).toBe('Here you are.')
  })

  it('that cannot be made is told before a turn is paid for', () => {
    const file = cassetteFile()
    writeFileSync(file, 'a file in its place')
    const client = new ScriptedChatClient(script)
    expect(() => recorded(client, join(file, 'turns.jsonl'), { mode: 'record' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringMatching(/cannot be made: E\w+: /) }),
    )
    expect(client.requests).toEqual([])
  })

  it('given in place of a file is told too', () => {
    const folder = dirname(cassetteFile())
    expect(() => recorded(null, folder)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining('EISDIR') }),
    )
  })
})
