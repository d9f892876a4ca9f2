import { sqliteStore } from '@fairlead/store'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { deskAgent } from './desk-agent.ts'
import { openLab, type Bench, type Lab } from './lab.ts'
import type { Line, Script } from './order.ts'
import { callOf, effectsOf, holding, killed, rootRun, scriptOf, statesOf, takeUp, until } from './take-up.ts'

let lab: Lab

// Generous: what is waited for are other processes, on machines that do other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

beforeAll(async () => {
  lab = await openLab()
})

afterAll(() => lab.close())

const gated = scriptOf(callOf('send_mail', { gated: true }), 'read_meter')
const start = { do: 'start', sessionId: 'session_one' } as const

/** A run that waits for its one approval, started by an agent that is gone, in a store that was closed. */
async function waiting(
  script: Script,
): Promise<{ readonly bench: Bench; readonly runId: string; readonly approvalId: string }> {
  const bench = lab.bench()
  await using store = sqliteStore({ file: bench.file })
  const agent = deskAgent(store, { script, remote: bench.remote })
  const { stopReason, runId, approvals } = await agent.run('Please.', { session: await agent.session('session_one') })
  expect([stopReason, approvals.length]).toEqual(['approval_required', 1])
  return { bench, runId, approvalId: approvals[0]?.id ?? '' }
}

function verdictsOf(lines: readonly Line[]): readonly string[] {
  return lines.flatMap((line) => (line.kind === 'verdict' ? [line.verdict] : []))
}

describe('before anything is written of a turn', () => {
  it.concurrent.each(['after turn', 'policy', 'recorder before intents', 'before intents'])(
    'killed at "%s": the prompt is found and nothing ran; taken up, its model is asked again',
    async (point) => {
      const bench = lab.bench()
      const seen = await killed(bench, { script: scriptOf('send_mail'), tasks: [start], fuse: { point } })
      const { run, messages } = rootRun(seen)
      expect([run.status, messages.map(({ role }) => role), statesOf(seen)]).toEqual(['running', ['user'], []])
      expect(await effectsOf(bench)).toEqual([])
      const result = await takeUp(bench, { script: scriptOf('send_mail') }, run.id)
      expect(result.stopReason).toBe('answered')
      expect(await effectsOf(bench)).toEqual(['send_mail'])
      await holding(bench)
    },
  )

  const two: Script = {
    turns: [
      { text: 'First.', calls: [callOf('send_mail')] },
      { text: 'Second.', calls: [callOf('send_mail', { item: 'second' })] },
      'Done.',
    ],
    inner: [],
  }

  it.concurrent.each([
    ['before turn', 2],
    ['after turn', 2],
    ['policy', 2],
    ['before intents', 2],
    ['after outcomes', 1],
  ] as const)(
    'killed at "%s" (%i) of the second turn: the first stands, the model is asked again',
    async (point, nth) => {
      const bench = lab.bench()
      const seen = await killed(bench, { script: two, tasks: [start], fuse: { point, nth } })
      expect([statesOf(seen), rootRun(seen).run.status]).toEqual([['Observed'], 'running'])
      // The results are not in the conversation yet: they are rebuilt from the calls.
      expect(rootRun(seen).messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
      const result = await takeUp(bench, { script: two }, rootRun(seen).run.id)
      expect([result.stopReason, result.text]).toEqual(['answered', 'Done.'])
      expect(await effectsOf(bench)).toEqual(['send_mail', 'send_mail'])
      expect(statesOf(await holding(bench))).toEqual(['Observed', 'Observed'])
    },
  )
})

describe('around a stop for a person', () => {
  it.concurrent('killed before the request is written: only the prompt is found, and no request is left behind', async () => {
    const bench = lab.bench()
    const seen = await killed(bench, { script: gated, tasks: [start], fuse: { point: 'before ask' } })
    expect([rootRun(seen).messages.map(({ role }) => role), seen.open]).toEqual([['user'], []])
  })

  it.concurrent('killed after the request was written, before anybody was shown it: it is shown later, the same one', async () => {
    const bench = lab.bench()
    const seen = await killed(bench, { script: gated, tasks: [start], fuse: { point: 'after ask' } })
    expect(statesOf(seen)).toEqual(['NeedsApproval', 'PolicyChecked'])
    const { run, approvals } = rootRun(seen)
    expect([run.status, run.lease, approvals.map(({ status }) => status)]).toEqual(['suspended', null, ['pending']])
    const result = await takeUp(bench, { script: gated }, run.id)
    expect(result.stopReason).toBe('approval_required')
    expect(result.approvals.map(({ id }) => id)).toEqual(approvals.map(({ id }) => id))
    expect(await effectsOf(bench)).toEqual([])
    await holding(bench, new Set(approvals.map(({ id }) => id)))
  })

  it.concurrent.each([
    ['before decision', 'pending', ['NeedsApproval', 'PolicyChecked']],
    ['after decision', 'approved', ['Approved', 'PolicyChecked']],
    ['before claim', 'approved', ['Approved', 'PolicyChecked']],
    ['after claim', 'approved', ['Approved', 'PolicyChecked']],
    ['after reopen', 'approved', ['Approved', 'PolicyChecked']],
    ['before intents', 'approved', ['Approved', 'PolicyChecked']],
  ] as const)(
    'the deciding process is killed at "%s": the decision is made or open, never gone',
    async (point, status, states) => {
      const { bench, runId, approvalId: id } = await waiting(gated)
      const yes = { kind: 'function_approval_response', id, approved: true, by: 'ann' } as const
      const seen = await killed(bench, { script: gated, tasks: [{ do: 'answer', answers: [yes] }], fuse: { point } })
      expect([statesOf(seen), rootRun(seen).approvals.map((one) => one.status)]).toEqual([states, [status]])
      const { lines } = await bench.run({
        script: gated,
        tasks: [
          { do: 'decide', answers: [{ id, approved: true, by: 'bob' }] },
          { do: 'resume', runId },
        ],
      })
      expect(lines.filter(({ kind }) => kind !== 'ready')).toMatchObject([
        { verdict: status === 'pending' ? 'decided' : 'already', by: status === 'pending' ? 'bob' : 'ann' },
        { stopReason: 'answered' },
      ])
      expect((await effectsOf(bench)).toSorted()).toEqual(['read_meter', 'send_mail'])
      await holding(bench, new Set([id]))
    },
  )

  it.concurrent.each([
    ['approve the same request', [true, true]],
    ['decide, one each way,', [true, false]],
  ] as const)(
    'two processes %s at once: the first wins, the second hears who, one effect at most',
    async (_, answers) => {
      const { bench, runId, approvalId: id } = await waiting(gated)
      const deciders = answers.map((approved, index) =>
        bench.start({
          script: gated,
          tasks: [
            { do: 'decide', answers: [{ id, approved, by: `${approved ? 'yes' : 'no'} ${index}` }] },
            { do: 'resume', runId },
          ],
        }),
      )
      await Promise.all(deciders.map((decider) => decider.begin()))
      const ended = await Promise.all(deciders.map((decider) => decider.ended))
      const verdicts = ended.flatMap(({ lines }) => lines.filter((line) => line.kind === 'verdict'))
      expect(verdicts.map(({ verdict }) => verdict).toSorted()).toEqual(['already', 'decided'])
      const [winner] = verdicts.flatMap(({ by }) => (by === null ? [] : [by]))
      expect(verdicts.map(({ by }) => by)).toEqual([winner, winner])
      const seen = await holding(bench, new Set([id]))
      expect(rootRun(seen).run).toMatchObject({ status: 'ended', stopReason: 'answered' })
      expect(await effectsOf(bench)).toHaveLength(winner?.startsWith('yes') === true ? 2 : 1)
    },
  )
})

describe('after a decision, before the claim, what changed is looked at again', () => {
  it.concurrent.each([
    ['policy forbids it now', { denied: ['send_mail'] }, 'answered', 'PERMISSION_DENIED'],
    ['the approval has expired', { clockAheadMs: 25 * 3_600_000 }, 'answered', 'APPROVAL_EXPIRED'],
    ['the tool has another version', { version: '2' }, 'approval_required', null],
  ] as const)('%s: the old consent runs nothing', async (_, setting, stopReason, errorCode) => {
    const { bench, runId, approvalId: id } = await waiting(gated)
    const decide = { do: 'decide', answers: [{ id, approved: true, by: 'ann' }] } as const
    await killed(bench, { script: gated, tasks: [decide], fuse: { point: 'after decision' } })
    const result = await takeUp(bench, { script: gated, ...setting }, runId)
    expect(result.stopReason).toBe(stopReason)
    expect(await effectsOf(bench)).not.toContain('send_mail')
    const { calls, approvals } = rootRun(await holding(bench, new Set([id])))
    if (errorCode !== null) expect(calls[0]?.result?.errorCode).toBe(errorCode)
    else expect(approvals.map(({ status }) => status)).toEqual(['approved', 'pending'])
  })
})

describe('three processes: asked in one, decided in a second, resumed in a third', () => {
  const answers = {
    approve: { approved: true },
    deny: { approved: false, reason: 'No.' },
    edit: { approved: true, edit: { item: 'edited', gated: true } },
    'remember, then approve': { approved: true, remember: { what: 'tool' } },
  } as const

  it.concurrent.each(['approve', 'deny', 'edit', 'remember, then approve'] as const)('%s', async (kind) => {
    const { bench, runId, approvalId: id } = await waiting(gated)
    const decide = { do: 'decide', answers: [{ id, by: 'ann', ...answers[kind] }] } as const
    const decided = await killed(bench, { script: gated, tasks: [decide], fuse: { point: 'after decision' } })
    const states = { approve: 'Approved', deny: 'Denied', edit: 'Validated', 'remember, then approve': 'Approved' }
    expect(statesOf(decided)).toEqual([states[kind], 'PolicyChecked'])
    const resume = { do: 'resume', runId } as const
    const { lines } = await bench.run({ script: gated, tasks: [resume, resume, decide] })
    expect(lines.filter(({ kind: line }) => line !== 'ready')).toMatchObject([
      { stopReason: 'answered' },
      { code: 'RUN_ENDED' },
      { verdict: 'already' },
    ])
    const { effects } = await bench.ledger()
    const mails = effects.filter(({ tool }) => tool === 'send_mail').map(({ arguments: args }) => args['item'])
    expect(mails).toEqual(kind === 'deny' ? [] : [kind === 'edit' ? 'edited' : 'send_mail'])
    await holding(bench, new Set([id]))
  })

  it.concurrent('an edited approval is killed after its claim: what is in doubt is the edited call', async () => {
    const { bench, runId, approvalId: id } = await waiting(gated)
    const decide = { do: 'decide', answers: [{ id, by: 'ann', ...answers.edit }] } as const
    const tasks = [decide, { do: 'resume', runId }] as const
    const seen = await killed(bench, { script: gated, tasks, fuse: { point: 'after execute send_mail' } })
    expect(rootRun(seen).calls[0]).toMatchObject({ state: 'Executing', arguments: { item: 'edited' } })
    expect((await takeUp(bench, { script: gated }, runId)).stopReason).toBe('in_doubt')
    expect((await effectsOf(bench)).filter((tool) => tool === 'send_mail')).toHaveLength(1)
    await holding(bench, new Set([id]))
  })

  it.concurrent.each(['before intents', 'after intents'])(
    'a standing rule grants the next call of the tool; killed at "%s" of that one, it is granted and run once',
    async (point) => {
      const mail = (item: string) => ({ text: item, calls: [callOf('set_label', { item, gated: true })] })
      const script = { turns: [mail('one'), mail('two'), 'Done.'], inner: [] }
      const { bench, runId, approvalId: id } = await waiting(script)
      const remember = {
        do: 'decide',
        answers: [{ id, by: 'ann', approved: true, remember: { what: 'tool' } }],
      } as const
      const tasks = [remember, { do: 'resume', runId }] as const
      await killed(bench, { script, tasks, fuse: { point, nth: 2 } })
      expect((await takeUp(bench, { script }, runId)).stopReason).toBe('answered')
      expect(await effectsOf(bench)).toEqual(['set_label', 'set_label'])
      const { approvals } = rootRun(await holding(bench, new Set([id])))
      expect(approvals.map(({ decidedBy }) => decidedBy)).toEqual(['ann', expect.stringMatching(/^rule:/)])
    },
  )
})

describe('while the owner lives', () => {
  it.concurrent('another process that resumes the run is sent away, and nothing runs twice', async () => {
    const bench = lab.bench()
    const script = scriptOf('send_mail')
    await bench.behave([{ item: 'send_mail', how: { kind: 'delay', ms: 1000 } }])
    const owner = bench.start({ script, tasks: [start] })
    await owner.begin()
    await until(async () => (await bench.ledger()).received.length > 0)
    const { run } = rootRun(await holding(bench))
    await expect(takeUp(bench, { script }, run.id)).rejects.toMatchObject({ code: 'RUN_BUSY' })
    expect((await owner.ended).lines.at(-1)).toMatchObject({ stopReason: 'answered' })
    expect(await effectsOf(bench)).toEqual(['send_mail'])
    await holding(bench)
  })

  it.concurrent.each(['hang before', 'hang after'] as const)(
    'killed while the remote does not answer (%s its effect): in doubt, and the ledger knows',
    async (how) => {
      const bench = lab.bench()
      const script = scriptOf('send_mail')
      const when = how === 'hang before' ? 'before' : 'after'
      await bench.behave([{ item: 'send_mail', how: { kind: 'hang', when } }])
      const owner = bench.start({ script, tasks: [start] })
      await owner.begin()
      await until(async () => (await bench.ledger()).received.length > 0)
      owner.send('SIGKILL')
      expect(await owner.ended).toMatchObject({ signal: 'SIGKILL' })
      const { run } = rootRun(await holding(bench))
      expect((await takeUp(bench, { script }, run.id)).stopReason).toBe('in_doubt')
      expect(await effectsOf(bench)).toHaveLength(when === 'before' ? 0 : 1)
      await holding(bench)
    },
  )
})

describe('after the outcomes', () => {
  it.concurrent.each(['after outcomes', 'recorder after outcomes', 'before end'])(
    'killed at "%s": the stored result is handed to the model, nothing runs again',
    async (point) => {
      const bench = lab.bench()
      const script = scriptOf('send_mail')
      const seen = await killed(bench, { script, tasks: [start], fuse: { point } })
      expect(statesOf(seen)).toEqual(['Observed'])
      const result = await takeUp(bench, { script }, rootRun(seen).run.id)
      expect([result.stopReason, result.text]).toEqual(['answered', 'Done.'])
      expect(await effectsOf(bench)).toEqual(['send_mail'])
      await holding(bench)
    },
  )

  it.concurrent('killed after the end was written: there is nothing to go on with', async () => {
    const bench = lab.bench()
    const script = scriptOf('send_mail')
    const seen = await killed(bench, { script, tasks: [start], fuse: { point: 'after end' } })
    expect(rootRun(seen).run).toMatchObject({ status: 'ended', stopReason: 'answered', lease: null })
    await expect(takeUp(bench, { script }, rootRun(seen).run.id)).rejects.toMatchObject({ code: 'RUN_ENDED' })
  })
})

describe('an agent inside a call, with a request of its own', () => {
  const script: Script = {
    turns: [{ text: 'I delegate.', calls: [callOf('delegate'), callOf('set_label')] }, 'Done.'],
    inner: [{ text: 'I write.', calls: [callOf('send_mail', { gated: true })] }, 'Helped.'],
  }

  it.concurrent.each([
    'after intents',
    'before inner ask',
    'after inner ask',
    'after outcomes',
    'before suspend',
    'after suspend',
  ])('killed at "%s" on the way in: the request comes out, once, and resumes into the agent', async (point) => {
    const bench = lab.bench()
    const seen = await killed(bench, { script, tasks: [start], fuse: { point } })
    const { run } = rootRun(seen)
    const result = await takeUp(bench, { script }, run.id)
    expect(result.stopReason).toBe('approval_required')
    expect(result.approvals.map(({ path, tool }) => [path, tool])).toEqual([[['delegate'], 'send_mail']])
    const shown = new Set(result.approvals.map(({ id }) => id))
    await holding(bench, shown)
    await using store = sqliteStore({ file: bench.file })
    const answers = result.approvals.map((approval) => approval.approve({ by: 'ann' }))
    const end = await deskAgent(store, { script, remote: bench.remote }).run(answers)
    expect([end.stopReason, end.text]).toEqual(['answered', 'Done.'])
    expect((await effectsOf(bench)).toSorted()).toEqual(['send_mail', 'set_label'])
    const after = await holding(bench, shown)
    expect(after.runs.map((one) => one.run.status)).toEqual(['ended', 'ended'])
  })

  it.concurrent.each([
    ['after claim', 'answered'],
    ['before inner reopen', 'answered'],
    ['after inner reopen', 'answered'],
    ['before inner intents', 'answered'],
    ['after inner intents', 'in_doubt'],
    ['after execute send_mail', 'in_doubt'],
    ['after inner outcomes', 'answered'],
    ['after inner end', 'answered'],
    ['before end', 'answered'],
  ] as const)('killed at "%s" on the way back: %s, and the mail goes out once at most', async (point, expected) => {
    const { bench, runId, approvalId: id } = await waiting(script)
    const yes = { kind: 'function_approval_response', id, approved: true, by: 'ann' } as const
    await killed(bench, { script, tasks: [{ do: 'answer', answers: [yes] }], fuse: { point } })
    const result = await takeUp(bench, { script }, runId)
    expect(result.stopReason).toBe(expected)
    if (expected === 'in_doubt') {
      expect(result.inDoubt.map(({ tool }) => tool)).toEqual(['send_mail'])
      const callId = result.inDoubt[0]!.id
      const effect = (await bench.ledger()).effects.find((one) => one.callId === callId)
      const resolution = effect === undefined ? { kind: 'retry', by: 'ann' } : { kind: 'done', by: 'ann' }
      const { lines } = await bench.run({
        script,
        tasks: [
          { do: 'resolve', callId, resolution: resolution as { kind: 'retry' | 'done'; by: string } },
          { do: 'resume', runId },
        ],
      })
      expect([verdictsOf(lines), lines.at(-1)]).toMatchObject([['resolved'], { stopReason: 'answered' }])
    }
    expect((await effectsOf(bench)).filter((tool) => tool === 'send_mail')).toHaveLength(1)
    const after = await holding(bench, new Set([id]))
    expect(after.runs.map((one) => one.run.status)).toEqual(['ended', 'ended'])
  })
})
