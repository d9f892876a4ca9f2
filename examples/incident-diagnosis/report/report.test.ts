import { describe, expect, it } from 'vitest'
import { findReport, incidentReport, renderReport, type IncidentReport } from './index.ts'

const report: IncidentReport = {
  conclusion: { cause: 'deployment', subject: 'd-1', confidence: 'medium', statement: 'Suspicion that d-1 did it.' },
  evidence: [{ id: 'e1', kind: 'metric', uri: 'evidence://r/c', statement: 'Latency rose.' }],
  excluded: [{ cause: 'traffic_surge', because: 'the rate kept its level.', evidence: ['e1'] }],
  gaps: ['Pods: the source is missing.'],
  nextActions: [{ action: 'Roll back d-1', needsApproval: true, reason: 'it may help.' }],
}

describe('renderReport', () => {
  it('writes the layers in order', () => {
    expect(renderReport(report)).toMatchInlineSnapshot(`
      "Conclusion (confidence: medium): Suspicion that d-1 did it.

      Evidence:
      1. [e1] Latency rose. (evidence://r/c)

      Excluded:
      1. Traffic surge: the rate kept its level. [e1]

      Gaps:
      1. Pods: the source is missing.

      Next actions:
      1. Roll back d-1 (needs approval): it may help."
    `)
  })

  it('says when a layer is empty', () => {
    expect(renderReport({ ...report, gaps: [] })).toContain('Gaps: none.')
  })
})

describe('findReport', () => {
  const saying = (data: unknown) => ({ role: 'assistant', parts: [{ kind: 'data', data: data as never }] }) as const

  it('gives the last report of the assistant', () => {
    const later = { ...report, gaps: [] }
    expect(findReport([saying(report), saying(later), saying({ other: 1 })])).toEqual(later)
  })

  it('takes nothing from other roles', () => {
    expect(
      findReport([
        { ...saying(report), role: 'tool' },
        { role: 'user', parts: [{ kind: 'text', text: 'x' }] },
      ]),
    ).toBeNull()
  })
})

describe('incidentReport', () => {
  it.each([
    { ...report, extra: 1 },
    { ...report, conclusion: { ...report.conclusion, cause: 'gremlins' } },
    { ...report, excluded: [{ cause: 'unknown', because: 'x', evidence: ['e9'] }] },
    { ...report, evidence: [...report.evidence, ...report.evidence] },
  ])('refuses %#', (wrong) => {
    expect(incidentReport.safeParse(wrong).success).toBe(false)
  })
})
