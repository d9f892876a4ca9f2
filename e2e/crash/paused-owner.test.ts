import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openLab, type Bench, type Lab, type Worker } from './lab.ts'
import { lookAtStore } from './look-at-store.ts'
import type { Fuse, Script, Task } from './order.ts'
import { callOf, effectsOf, holding, rootRun, scriptOf, statesOf, takeUp } from './take-up.ts'

let lab: Lab

// Generous: what is waited for are other processes, on machines that do other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

beforeAll(async () => {
  lab = await openLab()
})

afterAll(() => lab.close())

const leaseMs = 300
const start = { do: 'start', sessionId: 'session_one' } as const

/** A worker that stopped (SIGSTOP) at a point, its lease over by now. */
async function paused(
  bench: Bench,
  order: {
    readonly script: Script
    readonly tasks: readonly Task[]
    readonly fuse: Omit<Fuse, 'signal'>
    readonly innerLeaseMs?: number
  },
): Promise<Worker> {
  const worker = bench.start({ ...order, leaseMs, fuse: { ...order.fuse, signal: 'SIGSTOP' } })
  await worker.begin()
  await worker.stopped()
  await new Promise((resolve) => setTimeout(resolve, leaseMs * 1.5))
  return worker
}

/** Wakes the paused owner; nothing it does may change what the others have written. */
async function wake(bench: Bench, owner: Worker): Promise<readonly string[]> {
  const before = await lookAtStore(bench.file)
  owner.send('SIGCONT')
  const { lines, code, errors } = await owner.ended
  expect([code, errors]).toEqual([0, ''])
  expect(await lookAtStore(bench.file)).toEqual(before)
  return lines.flatMap((line) =>
    line.kind === 'failed' ? [line.code] : line.kind === 'stopped' ? [line.stopReason] : [],
  )
}

const refused = [expect.stringMatching(/^(JOURNAL_CONFLICT|RUN_BUSY|RUN_ENDED)$/)]

describe('an owner that was paused past its lease, while another process went on', () => {
  it('after the effect: the call is in doubt, settled by a person, and the late outcome is not applied', async () => {
    const bench = lab.bench()
    const script = scriptOf('send_mail')
    const owner = await paused(bench, { script, tasks: [start], fuse: { point: 'after execute send_mail' } })
    const { run, calls } = rootRun(await holding(bench))
    expect((await takeUp(bench, { script }, run.id)).stopReason).toBe('in_doubt')
    const resolution = { kind: 'done', by: 'ann', result: { number: 1 } } as const
    await bench.run({ script, tasks: [{ do: 'resolve', callId: calls[0]!.id, resolution }] })
    expect((await takeUp(bench, { script }, run.id)).stopReason).toBe('answered')
    expect(await wake(bench, owner)).toEqual(refused)
    expect(await effectsOf(bench)).toEqual(['send_mail'])
    await holding(bench)
  })

  it('after the effect of a call with a key: it ran again with the same key, and there is one effect', async () => {
    const bench = lab.bench()
    const script = scriptOf('set_label')
    const owner = await paused(bench, { script, tasks: [start], fuse: { point: 'before outcomes' } })
    const { run } = rootRun(await holding(bench))
    expect((await takeUp(bench, { script }, run.id)).stopReason).toBe('answered')
    expect(await wake(bench, owner)).toEqual(refused)
    expect((await bench.ledger()).received).toHaveLength(2)
    expect(await effectsOf(bench)).toEqual(['set_label'])
    await holding(bench)
  })

  it('before the intents were written: they are refused, so that the paused process runs nothing', async () => {
    const bench = lab.bench()
    const script = scriptOf(callOf('send_mail', { gated: true }))
    const { lines } = await bench.run({ script, tasks: [start] })
    const [stopped] = lines.flatMap((line) => (line.kind === 'stopped' ? [line] : []))
    const answer = {
      kind: 'function_approval_response',
      id: stopped!.approvals[0]!.id,
      approved: true,
      by: 'ann',
    } as const
    const tasks = [{ do: 'answer', answers: [answer] }] as const
    const owner = await paused(bench, { script, tasks, fuse: { point: 'before intents' } })
    expect((await takeUp(bench, { script }, stopped!.runId)).stopReason).toBe('answered')
    expect(await wake(bench, owner)).toEqual(refused)
    expect((await bench.ledger()).received).toHaveLength(1)
    await holding(bench)
  })

  it('after the intents, before the request left: its late effect is not hidden, the call stays in doubt', async () => {
    const bench = lab.bench()
    const script = scriptOf('send_mail')
    const owner = await paused(bench, { script, tasks: [start], fuse: { point: 'before execute send_mail' } })
    const { run } = rootRun(await holding(bench))
    expect((await takeUp(bench, { script }, run.id)).stopReason).toBe('in_doubt')
    expect(await wake(bench, owner)).toEqual(refused)
    // Nobody can take a request back from a process that was only asleep: a person looks at the remote before saying.
    expect((await effectsOf(bench)).length).toBeLessThanOrEqual(1)
    expect(statesOf(await holding(bench))).toEqual(['Unknown'])
  })

  it('while the new owner has the claim and has written nothing else yet: the outcome is refused all the same', async () => {
    const bench = lab.bench()
    const script = scriptOf('set_label')
    const owner = await paused(bench, { script, tasks: [start], fuse: { point: 'before outcomes' } })
    const { run } = rootRun(await holding(bench))
    const fuse = { point: 'after claim', signal: 'SIGSTOP' } as const
    const next = bench.start({ script, tasks: [{ do: 'resume', runId: run.id }], fuse })
    await next.begin()
    await next.stopped()
    expect(await wake(bench, owner)).toEqual(refused)
    next.send('SIGCONT')
    expect((await next.ended).lines.at(-1)).toMatchObject({ kind: 'stopped', stopReason: 'answered' })
    expect(await effectsOf(bench)).toEqual(['set_label'])
    await holding(bench)
  })

  it('between its look at the run and its claim: the run goes on from where it stands by then', async () => {
    const bench = lab.bench()
    const mail = (item: string) => ({ text: item, calls: [callOf('send_mail', { item, gated: true })] })
    const script = { turns: [mail('one'), mail('two'), 'Done.'], inner: [] }
    const { lines } = await bench.run({ script, tasks: [start] })
    const [stopped] = lines.flatMap((line) => (line.kind === 'stopped' ? [line] : []))
    const { runId, approvals } = stopped!
    const late = await paused(bench, { script, tasks: [{ do: 'resume', runId }], fuse: { point: 'before claim' } })
    const yes = (id: string) => ({ kind: 'function_approval_response', id, approved: true, by: 'ann' }) as const
    const second = await bench.run({ script, tasks: [{ do: 'answer', answers: [yes(approvals[0]!.id)] }] })
    const [asked] = second.lines.flatMap((line) => (line.kind === 'stopped' ? [line] : []))
    expect([asked?.stopReason, asked?.approvals.length]).toEqual(['approval_required', 1])
    late.send('SIGCONT')
    expect((await late.ended).lines.at(-1)).toMatchObject({ kind: 'stopped', stopReason: 'approval_required' })
    await holding(bench, new Set([...approvals, ...asked!.approvals].map(({ id }) => id)))
    const third = await bench.run({ script, tasks: [{ do: 'answer', answers: [yes(asked!.approvals[0]!.id)] }] })
    expect(third.lines.at(-1)).toMatchObject({ stopReason: 'answered', text: 'Done.' })
    expect((await bench.ledger()).effects.map(({ arguments: args }) => args['item'])).toEqual(['one', 'two'])
    await holding(bench)
  })

  it('just before its decision: the other decision stands, and it hears who made it', async () => {
    const bench = lab.bench()
    const script = scriptOf(callOf('send_mail', { gated: true }))
    const { lines } = await bench.run({ script, tasks: [start] })
    const [stopped] = lines.flatMap((line) => (line.kind === 'stopped' ? [line] : []))
    const { id } = stopped!.approvals[0]!
    const decide = (approved: boolean, by: string) => ({ do: 'decide', answers: [{ id, approved, by }] }) as const
    const slow = await paused(bench, { script, tasks: [decide(true, 'ann')], fuse: { point: 'before decision' } })
    await bench.run({ script, tasks: [decide(false, 'bob')] })
    slow.send('SIGCONT')
    expect((await slow.ended).lines.at(-1)).toEqual({ kind: 'verdict', verdict: 'already', by: 'bob' })
    expect((await takeUp(bench, { script }, stopped!.runId)).stopReason).toBe('answered')
    expect(await effectsOf(bench)).toEqual([])
    await holding(bench, new Set([id]))
  })

  it('inside an agent inside a call: the other process goes on inside it too, and the mail goes out once', async () => {
    const bench = lab.bench()
    const script: Script = {
      turns: [{ text: 'I delegate.', calls: [callOf('delegate')] }, 'Done.'],
      inner: [{ text: 'I write.', calls: [callOf('set_label')] }, 'Helped.'],
    }
    const owner = await paused(bench, { script, tasks: [start], fuse: { point: 'after execute set_label' } })
    const { run } = rootRun(await holding(bench))
    const result = await takeUp(bench, { script }, run.id)
    expect([result.stopReason, result.text]).toEqual(['answered', 'Done.'])
    expect(JSON.stringify(result.messages)).toContain('Helped.')
    expect(await wake(bench, owner)).toEqual(refused)
    expect(await effectsOf(bench)).toEqual(['set_label'])
    const after = await holding(bench)
    expect(after.runs.map((one) => one.run.status)).toEqual(['ended', 'ended'])
  })
  it('inside an agent inside a call whose own lease runs longer: the other process waits for it, nothing is given up', async () => {
    const bench = lab.bench()
    const script: Script = {
      turns: [{ text: 'I delegate.', calls: [callOf('delegate')] }, 'Done.'],
      inner: [{ text: 'I write.', calls: [callOf('set_label')] }, 'Helped.'],
    }
    const fuse = { point: 'after execute set_label' }
    const owner = await paused(bench, { script, tasks: [start], fuse, innerLeaseMs: 6000 })
    const { run } = rootRun(await holding(bench))
    const result = await takeUp(bench, { script }, run.id)
    expect([result.stopReason, result.text]).toEqual(['answered', 'Done.'])
    expect(JSON.stringify(result.messages)).toContain('Helped.')
    expect(await wake(bench, owner)).toEqual(refused)
    expect(await effectsOf(bench)).toEqual(['set_label'])
    const after = await holding(bench)
    expect(after.runs.map((one) => one.run.status)).toEqual(['ended', 'ended'])
  })
})
