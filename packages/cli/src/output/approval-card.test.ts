import { describe, expect, it } from 'vitest'
import { sampleApproval } from '../../test/sample-records.ts'
import { textHost } from '../../test/text-host.ts'
import { approvalCard, settlementText } from './approval-card.ts'
import { coloursFor } from './colours.ts'

const plain = coloursFor(textHost(), true)

describe('approvalCard', () => {
  it('shows everything a decision needs, every argument whole and harmless', () => {
    expect(approvalCard(sampleApproval, plain, { now: sampleApproval.createdAt })).toBe(
      [
        '? create_ticket version 2',
        '  request      approval_1',
        '  status       pending, expires 2026-01-03T03:04:05.006Z (in 24 h)',
        '  owner        not declared',
        '  effects      write, risk medium, reversible: by close_ticket',
        '  impact       Opens a ticket.',
        '  model says   Because<U+202E> of it.',
        "  required by  the tool's contract",
        '  arguments',
        '    title      Slow<U+001B>[2J checkout',
        '    labels     a',
        '               b',
      ].join('\n'),
    )
  })

  it('does not shorten a long argument', () => {
    const long = 'x'.repeat(5000)
    expect(approvalCard({ ...sampleApproval, arguments: { long, list: [1, { a: long }] } }, plain)).toContain(
      `[1,{"a":"${long}"}]`,
    )
  })
})

it.each([
  ['policy:dear things', 'policy rule dear things'],
  ['middleware:guard', 'middleware guard'],
  ['batch', 'nobody: it is shown because another call of its turn waits'],
  ['resolution', 'whoever settled a call in doubt'],
  ['somebody', 'somebody'],
])('says who wants a person to decide: %s', (askedBy, text) => {
  const card = approvalCard({ ...sampleApproval, askedBy, askReason: 'It is\ndear.' }, plain)
  expect(card).toContain(`  required by  ${text}\n  because      It is dear.\n`)
})

it('counts addresses of evidence instead of listing them, and nothing else', () => {
  const uris = Array.from({ length: 14 }, (_, index) => `evidence://run_1/call_1_1_${index}`)
  const card = approvalCard({ ...sampleApproval, arguments: { uris, names: uris.map((uri) => `${uri} x`) } }, plain)
  expect(card).toContain('    uris       evidence://run_1/call_1_1_0\n               evidence://run_1/call_1_1_1\n')
  expect(card).toContain('               and 12 more: the calls of this run\n    names      ')
  expect(card.match(/evidence:/g)).toHaveLength(2 + 14)
})

describe('settlementText', () => {
  it.each([
    ['approved', { status: 'approved', decidedBy: 'bob', decidedAt: 0 }, 'approved by bob at 1970-01-01T00:00:00.000Z'],
    [
      'denied',
      { status: 'denied', decidedBy: 'bob', decidedAt: 0, reason: 'no' },
      'denied by bob at 1970-01-01T00:00:00.000Z: no',
    ],
    ['expired', { status: 'expired', decidedAt: 0 }, 'expired at 2026-01-03T03:04:05.006Z'],
    [
      'superseded',
      { status: 'superseded', decidedAt: 0 },
      'superseded at 1970-01-01T00:00:00.000Z: the call changed and was asked again',
    ],
  ] as const)('says who settled a request and when: %s', (_name, change, text) => {
    expect(settlementText({ ...sampleApproval, ...change })).toBe(text)
  })
})

it('shows where it came from, what a dry run said, and what a silent contract does not declare', () => {
  const silent = { effects: 'unknown', impact: null, reversible: null, owner: null, origin: 'mcp:tickets' } as const
  const card = approvalCard({ ...sampleApproval, ...silent, path: ['ask_desk', 'delegate\u001b'] }, plain, {
    dryRun: ['Would open', 'one ticket'],
  })
  expect(card).toContain('  through      ask_desk, then delegate<U+001B>\n')
  expect(card).toContain('  owner        not declared, from mcp:tickets\n')
  expect(card).toContain('  effects      not declared, risk medium, reversible: not declared\n')
  expect(card).toContain('  impact       not declared\n  dry run      Would open\n               one ticket\n')
})

it('shows what changed, line by line, where a call is asked about again with other arguments', () => {
  const before = { title: 'Slow checkout', labels: ['a', 'b'] }
  const card = approvalCard({ ...sampleApproval, before }, plain)
  expect(card.split('\n').slice(-8)).toEqual(
    [
      '  arguments    - as it was asked before, + as it is asked now',
      '                 {',
      '               -   "title": "Slow checkout",',
      // JSON writes controls as escapes.
      '               +   "title": "Slow\\u001b[2J checkout",',
      '                   "labels": [',
      '                     "a",',
      '                     "b"',
      '                   ]',
      '                 }',
    ].slice(-8),
  )
  expect(card).toContain('  arguments    - as it was asked before, + as it is asked now\n                 {\n')
})
