import { describe, expect, it } from 'vitest'
import { incidentReport } from '../report/index.ts'
import { offlinePlanner } from './offline-planner.ts'
import { diagnoseIncident } from './testing/test-diagnosis.ts'
import { deployRegression, quietIncident, usual } from './testing/test-incidents.ts'

describe('the end of a diagnosis', () => {
  it('names the ticket after it was filed', async () => {
    const { text, report } = await diagnoseIncident(deployRegression(usual))
    expect(text).toMatch(/^Ticket INC-[A-Z2-7]{6} is filed for basket-api/)
    expect(report?.conclusion.cause).toBe('deployment')
  })

  it.each([
    ['deny', /^No ticket was filed: a person refused it\..* not today/],
    ['expire', /^No ticket was filed: nobody answered/],
  ] as const)('names the refusal (%s) and proposes nothing again', async (ticket, words) => {
    const { text, calls, report } = await diagnoseIncident(deployRegression(usual), { ticket })
    expect(text).toMatch(words)
    expect(calls.filter(({ tool }) => tool === 'create_incident_ticket')).toHaveLength(1)
    expect(report?.conclusion.cause).toBe('deployment')
  })

  it('is a question when the prompt names no service', async () => {
    const { text, calls, report } = await diagnoseIncident(quietIncident(usual), {
      prompt: 'Why is everything so slow?',
    })
    expect(text).toContain('Which service')
    expect([calls, report]).toEqual([[], null])
  })

  it('is a clear answer when the service is unknown', async () => {
    const { text, calls, report } = await diagnoseIncident(quietIncident(usual), { prompt: 'Why is nobody-api slow?' })
    expect(text).toContain('no service called “nobody-api”')
    expect(text).toContain(usual.service)
    expect([calls.length, report]).toEqual([1, null])
  })

  it('finds the service by the list of known ones when the likeliest name is none', async () => {
    const prompt = 'The check-out page waits for basket, why?'
    const { report } = await diagnoseIncident(deployRegression({ ...usual, service: 'basket' }), {
      prompt,
      ticket: 'stop',
    })
    expect(report?.conclusion.subject).toBe(usual.deploy)
  })
})

describe('the client', () => {
  const request = {
    instructions: undefined,
    messages: [{ role: 'user', parts: [{ kind: 'text', text: `Why is ${usual.service} slow?` }] }],
    tools: [],
    toolChoice: 'auto',
  } as const

  it('streams the turn it generates', async () => {
    const { signal } = new AbortController()
    const planner = offlinePlanner()
    const turn = await planner.generate({ ...request, signal })
    let text = ''
    const parts: unknown[] = []
    let finishReason: string | undefined
    for await (const update of planner.stream?.({ ...request, signal }) ?? []) {
      if (update.kind === 'text-delta') text += update.text
      if (update.kind === 'part') parts.push(update.part)
      if (update.kind === 'finish') finishReason = update.finishReason
    }
    expect([{ kind: 'text', text }, ...parts]).toEqual(turn.parts)
    expect(finishReason).toBe(turn.finishReason)
    expect(incidentReport.safeParse(turn.parts.find((part) => part.kind === 'data')?.data).success).toBe(true)
  })

  it('rejects after an abort', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(offlinePlanner().generate({ ...request, signal })).rejects.toThrow('enough')
  })

  it('says that it is no model', () => {
    expect(offlinePlanner().notice).toMatch(/deterministic .*planner, not/)
  })
})
