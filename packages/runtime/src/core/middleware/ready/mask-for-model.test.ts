import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  cacheReads,
  maskForModel,
  tool,
  ToolError,
  type MaskForModelOptions,
  type Middleware,
} from '../../index.ts'
import { ScriptedChatClient } from '../../../testing/index.ts'

/** What the model and the evidence get of a result. */
async function shown(value: unknown, options?: MaskForModelOptions, inside: readonly Middleware[] = []) {
  const give = tool({
    name: 'give',
    description: 'Gives.',
    inputSchema: z.object({}),
    effects: 'read',
    execute: () => {
      if (value instanceof Error) throw value
      return value
    },
  })
  const model = new ScriptedChatClient([{ calls: [{ name: 'give' }] }, 'done'])
  const agent = new Agent({ model, tools: [give], middleware: [maskForModel(options), ...inside] })
  const result = await agent.run('go')
  const [call] = await agent.store.journal.calls(result.runId)
  const uri = call?.result?.evidenceUri
  const evidence = uri === undefined || uri === null ? undefined : await agent.store.evidence.get(uri)
  return {
    result,
    call,
    content: call?.result?.answer.content ?? [],
    evidence: evidence?.value,
    // Everything that was sent to the model, and everything a trace shows of the call beside its evidence.
    seen: JSON.stringify([model.requests, call]),
  }
}

async function masked(text: string, options?: MaskForModelOptions): Promise<string> {
  const { content } = await shown(text, options)
  const [item] = content
  return item?.kind === 'text' ? item.text : JSON.stringify(item)
}

describe('maskForModel', () => {
  it.each([
    ['write to ann.smith+x@mail.example.org.', 'write to [email].'],
    ['<jürgen@bücher.example>', '<[email]>'],
    ['user @example.org, a@b, x@y.', 'user @example.org, a@b, x@y.'],
    ['DE89 3704 0044 0532 0130 00 and more', '[iban] and more'],
    ['iban:gb29nwbk60161331926819', 'iban:[iban]'],
    ['XX12 ABCD 1234 EFGH 5678', null],
    ['pay 4111 1111 1111 1111 12/31', 'pay [card] 12/31'],
    ['room 5 4111-1111-1111-1111.', 'room 5 [card].'],
    ['378282246310005', '[card]'],
    ['4111 1111 1111 1112', '4111 1111 1111 1112'],
    ['0.4111111111111111 and 20310131080000', '0.4111111111111111 and 20310131080000'],
    ['call +49 (0)170 123-4567 now', 'call [phone] now'],
    ['0044 20 7946 0018', '[phone]'],
    ['(030) 1234567 or 030/1234567', '[phone] or [phone]'],
    ['01 23 45 67 89, 555-123-4567', '[phone], [phone]'],
    ['2031-01-31T08:00:00+01:00 10.0.12.130 v1.20.300 1927612800 #12345678', null],
    ['took 12345 ms of 100-200-300, page 01/2031', null],
  ])('%s', async (text, expected) => {
    expect(await masked(text)).toBe(expected ?? text)
  })

  it('masks strings, whole numbers and keys of data however deep; the evidence keeps all of it', async () => {
    const value = {
      'ann@example.org': [
        { note: 'from bob@example.org', card: 4_111_111_111_111_111, count: 3, ok: true, none: null },
      ],
      'bob@example.org': 'x',
    }
    const { content, evidence, seen, call } = await shown(value)
    expect(content).toEqual([
      {
        kind: 'data',
        data: {
          '[email]': [{ note: 'from [email]', card: '[card]', count: 3, ok: true, none: null }],
          '[email] 2': 'x',
        },
      },
    ])
    expect(evidence).toEqual(value)
    expect(seen).not.toContain('@example.org')
    expect(call?.transitions.at(-1)?.detail).toEqual({ by: 'middleware:maskForModel' })
  })

  it('masks what a tool says of its failure', async () => {
    const { seen, call } = await shown(new ToolError('NOT_FOUND', 'There is no ann@example.org.'))
    expect(call?.result).toMatchObject({ errorCode: 'NOT_FOUND', summary: 'There is no [email].' })
    expect(seen).not.toContain('ann@example.org')
  })

  it('masks texts and names of files among content parts, and leaves their bytes', async () => {
    const file = { kind: 'file', mediaType: 'image/png', data: 'iVBORw==', name: 'ann@example.org.png' } as const
    const { content } = await shown([{ kind: 'text', text: 'ann@example.org' }, file])
    expect(content).toEqual([
      { kind: 'text', text: '[email]' },
      { ...file, name: '[email]' },
    ])
  })

  it('masks what other middleware answered in the place of the tool', async () => {
    let count = 0
    const give = tool({
      name: 'give',
      description: 'Gives.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => (count++ === 0 ? 'ann@example.org' : 'not asked again: the cache answers'),
    })
    const turn = { calls: [{ name: 'give' }] }
    const model = new ScriptedChatClient([turn, turn, 'done'])
    const middleware = [maskForModel(), cacheReads({ ttlMs: 60_000 })]
    const { messages } = await new Agent({ model, tools: [give], middleware }).run('go')
    const contents = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === 'function_result' ? part.content : [])),
    )
    expect(contents).toEqual([
      { kind: 'text', text: '[email]' },
      { kind: 'text', text: '[email]' },
    ])
    expect(count).toBe(1)
    expect(JSON.stringify(model.requests)).not.toContain('ann@example.org')
  })

  it('takes the kinds it is told, and further ones', async () => {
    const text = 'ann@example.org, 4111111111111111, T-17'
    expect(await masked(text, { mask: ['card'], patterns: { ticket: /T-\d+/ } })).toBe(
      'ann@example.org, [card], [ticket]',
    )
    expect(await masked(text, { mask: [] })).toBe(text)
    // Its own state and empty finds of a pattern do no harm.
    expect(await masked('😀x', { mask: [], patterns: { none: /x*/gu } })).toBe('😀[none]')
  })

  it('leaves a result alone in which there is nothing to mask', async () => {
    const { call } = await shown({ a: [1, 'b'] })
    expect(call?.transitions.at(-1)?.detail).toBeNull()
  })

  it('is a guard', () => {
    expect(maskForModel()).toMatchObject({ kind: 'function', guard: true })
  })

  it('takes time linear in the text, whatever it is made of', async () => {
    for (const piece of ['a', 'a.', '1', '1 ', '+1', '00', 'a@', 'a@b.', 'DE12', '4 ', '(1', '0 1']) {
      const began = performance.now()
      await masked(piece.repeat(50_000))
      expect({ piece, inTime: performance.now() - began < 2000 }).toEqual({ piece, inTime: true })
    }
  })

  it('never lets an address, an IBAN or a card through, whatever stands around it', async () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`))
    const secret = fc.oneof(
      fc.emailAddress().filter((address) => /^[\w.+-]+@[\w.-]+$/.test(address)),
      fc.tuple(fc.constantFrom('4', '51', '37'), digits(13)).map(([start, rest]) => withLuhn(`${start}${rest}`)),
      digits(18).map((account) => withIbanCheck(account)),
    )
    const around = fc.stringMatching(/^[a-z ,;:]{0,20}$/)
    const cases = fc.sample(fc.tuple(around, secret, around), 300)
    const value = cases.map(([before, middle, after]) => `${before} ${middle} ${after}`)
    const { content } = await shown(value)
    const text = JSON.stringify(content)
    for (const [, middle] of cases) expect(text).not.toContain(middle)
    expect(cases).toHaveLength(300)
  })
})

function withLuhn(digits: string): string {
  for (let last = 0; last < 10; last++) {
    const whole = `${digits}${last}`
    let sum = 0
    for (let place = 0; place < whole.length; place++) {
      const digit = Number(whole.charAt(whole.length - 1 - place))
      const twice = digit * 2
      sum += place % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice
    }
    if (sum % 10 === 0) return `${digits}${last}`
  }
  return digits
}

function withIbanCheck(account: string): string {
  const check = 98n - (BigInt(`${account}131400`) % 97n)
  return `DE${String(check).padStart(2, '0')}${account}`
}
