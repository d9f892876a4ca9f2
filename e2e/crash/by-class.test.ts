import type { Resolution } from '@fairlead/runtime/core'
import { sqliteStore } from '@fairlead/store'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { deskAgent } from './desk-agent.ts'
import { openLab, type Lab } from './lab.ts'
import { callOf, effectsOf, holding, killed, rootRun, scriptOf, statesOf, takeUp, until } from './take-up.ts'

let lab: Lab

// Generous: what is waited for are other processes, on machines that do other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

beforeAll(async () => {
  lab = await openLab()
})

afterAll(() => lab.close())

/** Where a call may be when its process dies, and whether it may have reached the remote by then. */
const windows = [
  { row: 'after the claim, before the request leaves', point: 'after intents', took: 'no' },
  { row: 'during the external call', point: 'sent', took: 'maybe' },
  { row: 'after the effect, before its record', point: 'after execute', took: 'yes' },
  { row: 'while the outcome is about to be written', point: 'before outcomes', took: 'yes' },
] as const

const classes = [
  { tool: 'read_meter', promise: 'runs again', ends: 'answered', most: 2 },
  { tool: 'set_label', promise: 'runs again with the same key and has one effect', ends: 'answered', most: 1 },
  { tool: 'set_label_today', promise: 'runs again within the window of its key', ends: 'answered', most: 1 },
  { tool: 'book_room', promise: 'is settled by what the remote says', ends: 'answered', most: 1 },
  { tool: 'post_row', promise: 'is left to a person', ends: 'in_doubt', most: 1 },
  { tool: 'send_mail', promise: 'is left to a person', ends: 'in_doubt', most: 1 },
] as const

describe.each(windows)('killed $row ($point)', ({ point, took }) => {
  it.concurrent.each(classes)('$tool $promise', async ({ tool, ends, most }) => {
    const bench = lab.bench()
    const script = scriptOf(tool)
    const named = point === 'sent' || point === 'after execute' ? `${point} ${tool}` : point
    const seen = await killed(bench, { script, tasks: [{ do: 'start' }], fuse: { point: named }, windowMs: 60_000 })
    expect(statesOf(seen)).toEqual(['Executing'])
    expect(seen.open.map(({ tool: name }) => name)).toEqual([tool])
    // A request that was sent arrives, also when nobody waits for its answer.
    if (took === 'maybe') await until(async () => (await effectsOf(bench)).length > 0)
    expect(await effectsOf(bench)).toEqual(took === 'no' ? [] : [tool])

    const { run } = rootRun(seen)
    const result = await takeUp(bench, { script, windowMs: 60_000 }, run.id)
    expect(result.stopReason).toBe(ends)
    const after = await holding(bench)
    const { asked, effects } = await bench.ledger()
    expect(effects.length).toBeLessThanOrEqual(most)
    if (ends === 'answered') {
      expect(effects.length).toBeGreaterThanOrEqual(1)
      expect([result.text, statesOf(after)]).toEqual(['Done.', ['Observed']])
      expect(rootRun(after).calls[0]?.result?.status).toBe('success')
    } else {
      expect(statesOf(after)).toEqual(['Unknown'])
      expect(result.inDoubt.map(({ tool: name }) => name)).toEqual([tool])
    }
    expect(asked).toHaveLength(tool === 'book_room' ? 1 : 0)
  })
})

describe('a call in doubt', () => {
  it.concurrent.each([
    ['past the window of its key', 'set_label_today', 120_000],
    ['whose remote is unsure', 'book_room', 0],
  ] as const)('is what a call becomes %s', async (_, tool, clockAheadMs) => {
    const bench = lab.bench()
    const script = scriptOf(tool)
    await bench.behave([{ item: tool, how: { kind: 'unsure' } }])
    const point = `after execute ${tool}`
    const seen = await killed(bench, { script, tasks: [{ do: 'start' }], fuse: { point }, windowMs: 60_000 })
    const result = await takeUp(bench, { script, windowMs: 60_000, clockAheadMs }, rootRun(seen).run.id)
    expect([result.stopReason, await effectsOf(bench)]).toEqual(['in_doubt', [tool]])
    expect(statesOf(await holding(bench))).toEqual(['Unknown'])
  })

  it.concurrent.each([
    ['done', { kind: 'done', by: 'ann', result: { number: 1 } }, 'after execute send_mail', 1],
    ['notDone', { kind: 'notDone', by: 'ann' }, 'after intents', 0],
    ['retry', { kind: 'retry', by: 'ann' }, 'after intents', 1],
  ] as const)(
    'is settled once by a person (%s), in a third process',
    async (_, resolution: Resolution, point, effects) => {
      const bench = lab.bench()
      const script = scriptOf('send_mail', 'read_meter')
      const seen = await killed(bench, { script, tasks: [{ do: 'start' }], fuse: { point } })
      const { run } = rootRun(seen)
      expect((await takeUp(bench, { script }, run.id)).stopReason).toBe('in_doubt')
      // Asking again changes nothing: it stays in doubt until somebody says.
      expect((await takeUp(bench, { script }, run.id)).stopReason).toBe('in_doubt')
      const callId = rootRun(await holding(bench)).calls[0]!.id
      const resolve = { do: 'resolve', callId, resolution } as const
      const two = [bench.start({ script, tasks: [resolve] }), bench.start({ script, tasks: [resolve] })]
      for (const worker of two) await worker.begin()
      const verdicts = (await Promise.all(two.map(({ ended }) => ended))).flatMap(({ lines }) =>
        lines.flatMap((line) => (line.kind === 'verdict' ? [line.verdict] : [])),
      )
      // The loser finds it settled, and by then perhaps carried out again.
      expect(verdicts.toSorted()).toEqual(['refused', 'resolved'])
      expect((await takeUp(bench, { script }, run.id)).stopReason).toBe('answered')
      const sent = (await effectsOf(bench)).filter((tool) => tool === 'send_mail')
      expect(sent).toHaveLength(effects)
      expect(statesOf(await holding(bench))).toEqual(['Observed', 'Observed'])
    },
  )

  it.concurrent('is what a call becomes that was recorded as begun and had not left yet', async () => {
    const bench = lab.bench()
    const script = scriptOf('send_mail')
    const seen = await killed(bench, { script, tasks: [{ do: 'start' }], fuse: { point: 'recorder after intents' } })
    const result = await takeUp(bench, { script }, rootRun(seen).run.id)
    expect([result.stopReason, await effectsOf(bench)]).toEqual(['in_doubt', []])
    await holding(bench)
  })

  it.concurrent('leaves its siblings as they stand until it is settled; then each goes on by its own class', async () => {
    const bench = lab.bench()
    const tools = ['read_meter', 'set_label', 'book_room', 'send_mail', 'set_label_today']
    const script = scriptOf(...tools, callOf('no_such_tool'), { name: 'read_meter', arguments: {} })
    const seen = await killed(bench, { script, tasks: [{ do: 'start' }], fuse: { point: 'after intents' } })
    expect(statesOf(seen)).toEqual([...tools.map(() => 'Executing'), 'Observed', 'Observed'])
    const { run } = rootRun(seen)
    const result = await takeUp(bench, { script }, run.id)
    expect([result.stopReason, await effectsOf(bench)]).toEqual(['in_doubt', []])
    await holding(bench)
    await using store = sqliteStore({ file: bench.file })
    const agent = deskAgent(store, { script, remote: bench.remote })
    await agent.resolveCall(result.inDoubt[0]!.id, { kind: 'retry', by: 'ann' })
    expect((await agent.resume(run.id).result).stopReason).toBe('answered')
    expect((await effectsOf(bench)).toSorted()).toEqual(tools.toSorted())
    await holding(bench)
  })
})
