import { mkdirSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oddFiles } from '../files/testing/odd-files.ts'
import { runTool, testContext } from '../planner/testing/test-driver.ts'
import { createIncidentTicket, ticketResult } from './create-incident-ticket.ts'
import type { IncidentServices } from './incident-services.ts'
import { entryIdOf } from './entry-book.ts'

const ticket = {
  title: 'slow',
  service: 's-api',
  severity: 'high',
  summary: 'It is slow.',
  suspected_cause: 'deployment: d-1',
  evidence: ['evidence://r/c'],
}

const ticketIdOf = (key: string): string => entryIdOf('INC', key)

async function newBook() {
  const ticketsFile = join(await mkdtemp(join(tmpdir(), 'tickets-')), 'folder', 'tickets.jsonl')
  const open = () => createIncidentTicket({ ticketsFile } as IncidentServices)
  const create = async (idempotencyKey: string, tool = open()) => {
    const answer = (await runTool(tool, ticket, testContext({ idempotencyKey }))) as { readonly data: unknown }
    return ticketResult.parse(answer.data)
  }
  const lines = async () => (await readFile(ticketsFile, 'utf8')).split('\n').filter((line) => line !== '')
  return { ticketsFile, open, create, lines }
}

describe('create_incident_ticket', () => {
  it('appends one line with everything it was told', async () => {
    const { create, lines } = await newBook()
    const { ticketId, created } = await create('key-1')
    const written: unknown = JSON.parse((await lines())[0] ?? '')
    expect(created).toBe(true)
    expect(written).toMatchObject({
      id: ticketId,
      idempotencyKey: 'key-1',
      service: 's-api',
      suspectedCause: 'deployment: d-1',
      createdFor: 'tester',
    })
  })

  it('files one ticket per key, also for calls at the same time and after a restart', async () => {
    const { create, open, lines } = await newBook()
    const tool = open()
    const answers = await Promise.all(['k1', 'k1', 'k2', 'k1', 'k2'].map((key) => create(key, tool)))
    const again = await create('k1')
    expect(new Set(answers.map(({ ticketId }) => ticketId))).toEqual(new Set([ticketIdOf('k1'), ticketIdOf('k2')]))
    expect(answers.filter(({ created }) => created)).toHaveLength(2)
    expect(again).toMatchObject({ ticketId: ticketIdOf('k1'), created: false })
    expect(await lines()).toHaveLength(2)
  })

  it('survives a half-written last line and files the ticket once', async () => {
    const { create, ticketsFile, lines } = await newBook()
    await create('k1')
    await appendFile(ticketsFile, '{"id":"INC-HALF","idempotencyKey":"k2","titl')
    const answers = [await create('k2'), await create('k2'), await create('k3')]
    expect(answers.map(({ created }) => created)).toEqual([true, false, true])
    const parsed = (await lines())
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as { idempotencyKey: string })
    expect(parsed.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['k1', 'k2', 'k3'])
  })

  it('takes a whole last line without its line end for a ticket', async () => {
    const { create, ticketsFile, lines } = await newBook()
    await create('k1')
    await writeFile(ticketsFile, (await readFile(ticketsFile, 'utf8')).trimEnd())
    expect(await create('k1')).toMatchObject({ created: false })
    expect(await create('k2')).toMatchObject({ created: true })
    expect(await lines()).toHaveLength(2)
  })

  it('goes on after a filing that failed', async () => {
    const { create, open, ticketsFile } = await newBook()
    const tool = open()
    await writeFile(join(ticketsFile, '..', '..', 'folder'), 'in the way')
    await expect(create('k1', tool)).rejects.toThrow('EEXIST')
    await rm(join(ticketsFile, '..'))
    expect(await create('k1', tool)).toMatchObject({ created: true })
  })

  it.each(['two\nlines', 'a\rb', 'esc\u001b[1m', 'line\u2028separator'])('refuses the title %j', async (title) => {
    const { open } = await newBook()
    await expect(runTool(open(), { ...ticket, title })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it.skipIf(process.platform === 'win32').each(oddFiles)(
    'refuses %s in the place of its file, at once',
    async (found, put) => {
      const { create, ticketsFile } = await newBook()
      mkdirSync(dirname(ticketsFile))
      put(ticketsFile)
      await expect(create('k1')).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining(`found ${found}`) as string,
      })
    },
  )

  it('is a write that a person must agree to', () => {
    const { contract } = createIncidentTicket({ ticketsFile: 'x' } as IncidentServices)
    expect(contract).toMatchObject({ effects: 'write', class: 'idempotencyKey', needsApproval: true, risk: 'medium' })
    expect(contract.impact).not.toBeNull()
    expect(contract.reversible).not.toBeNull()
  })

  it('derives ids that look like INC- and six letters or digits', () => {
    const ids = ['a', 'b', 'c', ''].map(ticketIdOf)
    expect(ids.every((id) => /^INC-[A-Z2-7]{6}$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(4)
  })
})
