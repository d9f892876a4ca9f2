import { describe, expect, it } from 'vitest'
import { advance, callStates, legalTransitions, type CallState } from './call-state.ts'

// The table of the design, written out a second time on purpose: a slip in either place shows.
const design = `
Requested → Validated, Rejected, Cancelled
Validated → PolicyChecked, Rejected, Cancelled
PolicyChecked → NeedsApproval, Executing, AwaitingClient, Validated, Rejected, Cancelled
NeedsApproval → Approved, Denied, Expired, Validated, Cancelled
Approved → Executing, AwaitingClient, Validated, Rejected, Expired, NeedsApproval, Cancelled
AwaitingClient → Succeeded, Failed, Expired, Cancelled
Executing → Succeeded, Failed, TimedOut, Cancelled, Unknown
Failed → Retried, Compensated, Observed
TimedOut → Retried, Compensated, Unknown, Observed
Unknown → Succeeded, Failed, Approved, Compensated, Observed
Retried → Executing, Cancelled, Rejected
Succeeded → Observed, Compensated
Rejected → Observed
Denied → Observed
Expired → Observed
Cancelled → Observed
Compensated → Observed
Observed →
`

const legal = new Map(
  design
    .trim()
    .split('\n')
    .map((line) => {
      const [from, to] = line.split('→') as [string, string]
      const targets = to.split(',').map((state) => state.trim())
      return [from.trim(), targets.filter((state) => state !== '')] as const
    }),
)

describe('the table of legal transitions', () => {
  it('knows the 18 states of the design and no other', () => {
    expect(callStates).toHaveLength(18)
    expect([...callStates].sort()).toEqual([...legal.keys()].sort())
  })

  const pairs = callStates.flatMap((from) => callStates.map((to) => [from, to] as const))

  it('is looked at pair by pair: 324 pairs', () => {
    expect(pairs).toHaveLength(324)
  })

  it.each(pairs)('%s to %s is as the design says', (from: CallState, to: CallState) => {
    expect(advance(from, to)).toBe(legal.get(from)?.includes(to) === true ? to : undefined)
  })

  it('leads from every state to Observed, so that no call is left without an answer', () => {
    for (const start of callStates) {
      const reached = new Set<CallState>([start])
      for (const state of reached) for (const next of legalTransitions[state]) reached.add(next)
      expect([start, ...reached]).toContain('Observed')
    }
  })
})
