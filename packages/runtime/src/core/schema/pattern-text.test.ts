import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, textOf, tool, type JsonSchema, type StandardSchema } from '../index.ts'
import { ScriptedChatClient } from '../../testing/index.ts'

/** What the model is told of the text `x` in the place of a value. */
async function told(value: StandardSchema | JsonSchema): Promise<string> {
  const inputSchema =
    '~standard' in value
      ? z.object({ value: value as unknown as z.ZodType })
      : ({ type: 'object', properties: { value } } as JsonSchema)
  const model = new ScriptedChatClient([{ calls: [{ name: 'take', arguments: { value: '?' } }] }, 'done'])
  const take = tool({ name: 'take', description: 'Takes a value.', inputSchema, effects: 'read', execute: () => 1 })
  const { messages } = await new Agent({ model, tools: [take] }).run('go')
  const [answer] = messages.flatMap(({ parts }) => parts).filter((part) => part.kind === 'function_result')
  return textOf(answer?.content ?? [])
}

describe('what a model is told of a text that does not match', () => {
  it.each<readonly [string, StandardSchema, string]>([
    ['a date-time', z.iso.datetime(), 'must be a date-time, for example 2031-01-31T08:00:00Z'],
    [
      'a date-time of milliseconds',
      z.iso.datetime({ precision: 3 }),
      'must be a date-time, for example 2031-01-31T08:00:00.000Z',
    ],
    ['a date', z.iso.date(), 'must be a date, for example 2031-01-31'],
    ['an email address', z.email(), 'must be an email address, for example ann@example.com'],
    ['a UUID', z.uuid(), 'must be a UUID, for example 7c9e6679-7425-40de-944b-e07fc1f90ae7'],
    ['a UUID of version 7', z.uuidv7(), 'must be a UUID, for example 01890a5d-ac96-774b-bcce-b302099a8057'],
    ['a UUID of version 6', z.uuidv6(), 'must be a UUID, for example 1ec9414c-232a-6b00-b3c8-9f6bdeced846'],
    ['an IPv4 address', z.ipv4(), 'must be an IPv4 address, for example 192.0.2.1'],
    ['an IPv6 address', z.ipv6(), 'must be an IPv6 address, for example 2001:db8::1'],
    ['an IPv4 range', z.cidrv4(), 'must be an IPv4 range, for example 192.0.2.0/24'],
    ['an IPv6 range', z.cidrv6(), 'must be an IPv6 range, for example 2001:db8::/32'],
    ['base64', z.base64(), 'must be a base64 text, for example Y29mZmVl'],
    ['a telephone number', z.e164(), 'must be a telephone number, for example +14155550100'],
    ['a ULID', z.ulid(), 'must be a ULID, for example 01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ])('%s: the name of the format and an example that passes', async (_, schema, message) => {
    expect(await told(schema)).toContain(`value: ${message}`)
    const example = message.split('for example ')[1]
    expect(schema['~standard'].validate(example)).toEqual({ value: example })
  })

  it('never shows an example that would be refused too', async () => {
    const text = await told({ type: 'string', format: 'date', pattern: '^1999-' })
    expect(text).toContain('value: must be a date that matches pattern "^1999-"')
  })

  it('shows a pattern without a format, after 80 characters cut', async () => {
    expect(await told({ type: 'string', pattern: '^[a-z]+$' })).toContain('must match pattern "^[a-z]+$"')
    const long = `^${'[a-z]'.repeat(40)}$`
    expect(await told({ type: 'string', pattern: long })).toContain(`must match pattern "${long.slice(0, 80)}…"`)
  })

  it('a format it does not know is no reason to hide the pattern', async () => {
    const text = await told({ type: 'string', format: 'toString', pattern: '^a$' })
    expect(text).toContain('value: must match pattern "^a$"')
  })

  it('leaves to the library what cannot be matched in linear time', async () => {
    expect(await told(z.iso.duration())).toContain('value: Invalid ISO duration')
  })
})
