import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { sqliteStore } from '@fairlead/store'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openLab, type Bench, type Lab } from './lab.ts'
import { lockFile } from './sqlite-file.ts'
import { effectsOf, holding, rootRun, scriptOf, takeUp, until } from './take-up.ts'

let lab: Lab

// Generous: what is waited for are other processes, on machines that do other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

beforeAll(async () => {
  lab = await openLab()
})

afterAll(() => lab.close())

const script = scriptOf('send_mail', 'set_label', 'post_row')
const start = { do: 'start', sessionId: 'session_one' } as const

/** Runs a line as the shell would. */
function shell(line: string): { readonly status: number | null; readonly stderr: string } {
  return spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8' })
}

/** The file with its tables, so that what follows is what a run writes. */
async function prepare(bench: Bench): Promise<void> {
  await using store = sqliteStore({ file: bench.file })
  await store.ready()
}

/** What became of a run whose store could not write any more, and that it can be gone on with once the store can. */
async function goOnAfterTrouble(bench: Bench): Promise<string> {
  const seen = await holding(bench)
  if (seen.runs.length === 0) {
    expect(await effectsOf(bench)).toEqual([])
    return 'nothing written'
  }
  const { run } = rootRun(seen)
  if (run.status === 'ended') return 'ended'
  const result = await takeUp(bench, { script }, run.id)
  for (const call of result.inDoubt) {
    const effect = (await bench.ledger()).effects.find(({ callId }) => callId === call.id)
    const resolution =
      effect === undefined ? ({ kind: 'notDone', by: 'ann' } as const) : ({ kind: 'done', by: 'ann' } as const)
    await bench.run({ script, tasks: [{ do: 'resolve', callId: call.id, resolution }] })
  }
  const end = result.stopReason === 'in_doubt' ? await takeUp(bench, { script }, run.id) : result
  expect(end.stopReason).toBe('answered')
  for (const tool of ['send_mail', 'set_label', 'post_row']) {
    expect((await effectsOf(bench)).filter((one) => one === tool).length).toBeLessThanOrEqual(1)
  }
  await holding(bench)
  return result.stopReason
}

describe('a disk that is full', () => {
  it('at any write of a run: STORE_UNAVAILABLE, nothing half written, and on with it once there is room', async () => {
    const outcomes: string[] = []
    const told: string[] = []
    // In blocks of 512 bytes: how far a file may grow, from the first commit of the run to its last.
    for (const blocks of [120, 176, 320, 1000]) {
      const bench = lab.bench()
      await prepare(bench)
      const { lines, errors } = await bench.run({ script, tasks: [start] }, `ulimit -f ${blocks}; exec "$@"`)
      expect(errors).toBe('')
      const last = lines.at(-1)
      told.push(last?.kind === 'failed' ? last.code : last?.kind === 'stopped' ? last.stopReason : 'nothing')
      outcomes.push(await goOnAfterTrouble(bench))
    }
    console.log(`full disk: ${told.map((line, index) => `${line} → ${outcomes[index]}`).join(', ')}`)
    expect(new Set(told)).toEqual(new Set(['STORE_UNAVAILABLE', 'answered']))
    expect(outcomes).toContain('in_doubt')
  })

  it('in earnest, on a file system of its own', async () => {
    const bench = lab.bench()
    const folder = dirname(bench.file)
    const mounted = shell(`mount -t tmpfs -o size=240k tmpfs '${folder}'`)
    if (mounted.status !== 0) {
      const why = mounted.stderr.trim()
      console.log(`full disk: no file system of its own here (${why}); limited files stand for it`)
      return
    }
    try {
      await prepare(bench)
      const { lines, errors } = await bench.run({ script, tasks: [start] })
      expect([errors, lines.at(-1)]).toMatchObject(['', { kind: 'failed', code: 'STORE_UNAVAILABLE' }])
      expect(shell(`mount -o remount,size=20m '${folder}'`).status).toBe(0)
      await goOnAfterTrouble(bench)
    } finally {
      shell(`umount -l '${folder}'`)
    }
  })
})

describe('a store that another program keeps locked', () => {
  it('for a while: the run waits and goes on, no call runs twice', async () => {
    const bench = lab.bench()
    await prepare(bench)
    await bench.behave([{ item: 'send_mail', how: { kind: 'delay', ms: 100 } }])
    const worker = bench.start({ script, tasks: [start] })
    await worker.begin()
    await until(async () => (await bench.ledger()).received.length > 0)
    const letGo = lockFile(bench.file)
    await new Promise((resolve) => setTimeout(resolve, 400))
    letGo()
    expect((await worker.ended).lines.at(-1)).toMatchObject({ stopReason: 'answered' })
    expect((await effectsOf(bench)).toSorted()).toEqual(['post_row', 'send_mail', 'set_label'])
    await holding(bench)
  })

  it('for longer than anybody waits: the run fails with the outcomes unwritten, and its calls are in doubt', async () => {
    const bench = lab.bench()
    await prepare(bench)
    await bench.behave([{ item: 'send_mail', how: { kind: 'delay', ms: 300 } }])
    const worker = bench.start({ script, tasks: [start], lockTimeoutMs: 200 })
    await worker.begin()
    await until(async () => (await bench.ledger()).received.length === 3)
    const letGo = lockFile(bench.file)
    const { lines } = await worker.ended
    letGo()
    expect(lines.at(-1)).toMatchObject({ kind: 'failed', code: 'STORE_UNAVAILABLE' })
    expect(await goOnAfterTrouble(bench)).toBe('in_doubt')
    expect((await effectsOf(bench)).toSorted()).toEqual(['post_row', 'send_mail', 'set_label'])
  })
})
