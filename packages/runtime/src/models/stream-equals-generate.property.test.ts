import fc from 'fast-check'
import { expect, it } from 'vitest'
// The folder is the loop's own; no door gives it out.
import { UpdateFolder } from '../core/chat/fold-updates.ts'
import type { ChatRequest } from '../core/index.ts'
import type { AiSdkModel, AiSdkPart } from './ai-sdk-model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'

const metadata = fc.option(fc.record({ openai: fc.record({ itemId: fc.string() }) }), { nil: undefined })

const textPart = fc
  .record({
    type: fc.constantFrom('text', 'reasoning'),
    text: fc.string({ maxLength: 40 }),
    providerMetadata: metadata,
  })
  .map(withoutUndefined)
const callPart = fc.record({
  type: fc.constant('tool-call'),
  toolCallId: fc.constantFrom('a', 'b', 'c'),
  toolName: fc.constantFrom('get_weather', 'constructor'),
  input: fc.oneof(fc.json(), fc.string()),
})
const resultPart = fc.record({
  type: fc.constant('tool-result'),
  toolCallId: fc.constant('a'),
  toolName: fc.constant('search'),
  result: fc.jsonValue(),
  isError: fc.boolean(),
  preliminary: fc.boolean(),
})
const otherPart = fc.constantFrom<AiSdkPart>(
  { type: 'source' },
  { type: 'file', mediaType: 'image/png', data: 'AAAA' },
  { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
)
const content = fc.array(fc.oneof(textPart, callPart, resultPart, otherPart), { maxLength: 12 })

function withoutUndefined(part: object): AiSdkPart {
  return JSON.parse(JSON.stringify(part)) as AiSdkPart
}

/** The same turn as a provider streams it: texts cut into pieces, metadata at the start, the end or on an empty delta. */
function* streamedPartsOf(parts: readonly AiSdkPart[], seed: number): Generator<AiSdkPart> {
  yield { type: 'stream-start' }
  for (const [index, part] of parts.entries()) {
    const { text, providerMetadata } = part
    if (text === undefined) {
      yield part
      continue
    }
    const place = (seed + index) % 3
    const late = providerMetadata === undefined ? {} : { providerMetadata }
    const size = 1 + ((seed + index) % 5)
    // Ids are used again after their end, as providers do.
    yield { type: `${part.type}-start`, id: '0', ...(place === 0 ? late : {}) }
    for (let at = 0; at < text.length; at += size) {
      yield { type: `${part.type}-delta`, id: '0', delta: text.slice(at, at + size) }
    }
    if (place === 1) yield { type: `${part.type}-delta`, id: '0', delta: '', ...late }
    yield { type: `${part.type}-end`, id: '0', ...(place === 2 ? late : {}) }
  }
}

it('a streamed turn folds to what the same turn gives whole', async () => {
  let looked = 0
  await fc.assert(
    fc.asyncProperty(
      content,
      fc.nat(30),
      fc.constantFrom('stop', 'tool-calls', 'length'),
      async (parts, seed, unified) => {
        const end = {
          finishReason: { unified, raw: unified },
          usage: { inputTokens: { total: seed }, outputTokens: { total: undefined } },
          providerMetadata: { openai: { responseId: `resp_${seed}` } },
        }
        const model: AiSdkModel = {
          specificationVersion: 'v3',
          provider: 'openai.responses',
          modelId: 'm',
          doGenerate: async () => ({ content: parts, ...end }),
          doStream: async () => ({
            stream: new ReadableStream<AiSdkPart>({
              start(controller) {
                for (const part of streamedPartsOf(parts, seed)) controller.enqueue(part)
                controller.enqueue({ type: 'finish', ...end })
                controller.close()
              },
            }),
          }),
        }
        const client = fromAiSdk(model, { serviceHeldHistory: true })
        const request: ChatRequest = {
          instructions: undefined,
          messages: [],
          tools: [],
          toolChoice: 'auto',
          signal: new AbortController().signal,
        }
        const folder = new UpdateFolder()
        for await (const update of client.stream?.(request) ?? []) folder.add(update)
        expect(folder.response()).toEqual(await client.generate(request))
        looked++
      },
    ),
  )
  expect(looked).toBeGreaterThanOrEqual(100)
})
