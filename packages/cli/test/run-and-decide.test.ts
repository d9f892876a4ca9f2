import { spawnSync } from 'node:child_process'
import { decideApproval, systemClock } from '@fairlead/runtime/core'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteStore } from '@fairlead/store'
import { describe, expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { workFolder, type WorkFolder } from './work-folder.ts'

type RunDocument = {
  readonly runId: string
  readonly sessionId: string
  readonly stopReason: string
  readonly text: string
  readonly approvals: readonly { readonly id: string; readonly tool: string; readonly expiresAt: string }[]
  readonly usage: unknown
  readonly report: unknown
}

async function startedRun(folder: WorkFolder): Promise<{ readonly run: RunDocument; readonly request: string }> {
  const words = ['run', 'the lift', '--offline', '--json', '--principal', 'ann:sre', '--environment', 'staging']
  const ended = await cliHere(folder.path, words)
  expect(ended.code).toBe(0)
  const run = JSON.parse(ended.out) as RunDocument
  return { run, request: run.approvals[0]?.id ?? 'none' }
}

describe('run', () => {
  it('ends with the pending approval in one JSON document, and everything else on standard error', async () => {
    const folder = workFolder()
    const ended = await cliHere(folder.path, ['run', 'the lift', '--offline', '--json'])
    expect(ended.code).toBe(0)
    const run = JSON.parse(ended.out) as RunDocument
    expect(run).toMatchObject({
      stopReason: 'approval_required',
      text: 'A ticket is needed.',
      approvals: [{ tool: 'open_ticket', arguments: { title: 'the lift' }, effects: 'write', askedBy: 'contract' }],
      usage: { inputTokens: 6, outputTokens: 4 },
      report: { cause: 'unknown' },
    })
    expect(ended.error).toContain('not from a model')
    expect(ended.error).toContain('look_up')
    expect(folder.tickets()).toEqual([])
  })

  it('tells a person plainly: notice, texts, one line a call, and how to decide', async () => {
    const folder = workFolder()
    const { code, out, error } = await cliHere(folder.path, ['run', 'the lift', '--offline'])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    const request = /approval_\w+/.exec(out)?.[0] ?? 'none'
    expect(out).toContain('i Answers come from a fixed script')
    expect(out).toMatch(/^✓ look_up \{"title":"the lift"\} {2}Succeeded {2}\d+ ms/m)
    expect(out).toMatch(/^\? open_ticket .*needs approval$/m)
    expect(out).toContain(`fairlead approvals approve ${request}\n`)
    expect(out).toContain(`fairlead approvals deny ${request} --reason 'say why'\n`)
    expect(out.match(/A ticket is needed\./g)).toHaveLength(1)
  })

  it('takes a JSON configuration that names its module, and finds it again to go on', async () => {
    const folder = workFolder()
    renameSync(join(folder.path, 'fairlead.config.ts'), join(folder.path, 'desk.ts'))
    writeFileSync(join(folder.path, 'fairlead.config.json'), '{"module": "./desk.ts"}')
    const { request } = await startedRun(folder)
    const ended = await cliHere(workFolder().path, ['approvals', 'approve', request, '--store', folder.store])
    expect(ended.code).toBe(0)
    expect(folder.tickets()).toEqual(['the lift'])
  })

  it('says only the answer when quiet', async () => {
    const { out, error } = await cliHere(workFolder().path, ['run', 'paint it', '--offline', '--quiet'])
    expect({ out, error }).toEqual({ out: 'red<U+001B>[31m and <U+202E>desrever\n', error: '' })
  })

  it('exits 1 when the model fails, with the reason on standard error and no stack', async () => {
    const ended = await cliHere(workFolder().path, ['run', 'break it', '--offline', '--json'])
    expect(ended.code).toBe(1)
    expect(JSON.parse(ended.out)).toMatchObject({ stopReason: 'model_error', approvals: [], report: null })
    expect(ended.error).toContain('the line is dead')
    expect(ended.error).not.toContain('    at ')
  })
})

describe('approve and deny', () => {
  it('need only the store: approving from elsewhere runs the call once and prints the resumed run', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    const words = ['approvals', 'approve', request, '--by', 'bob', '--store', folder.store, '--json']
    const ended = await cliHere(workFolder().path, words)
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.out)).toMatchObject({
      runId: run.runId,
      sessionId: run.sessionId,
      stopReason: 'answered',
      text: 'The ticket is open.',
      approvals: [],
      report: { cause: 'unknown' },
    })
    expect(folder.tickets()).toEqual(['the lift'])

    const again = await cliHere(folder.path, ['approvals', 'approve', request, '--json'])
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.error).toMatch(/^fairlead: Request \S+ is settled already: approved by bob at \d{4}-\S+Z\.\n$/)
    expect(folder.tickets()).toEqual(['the lift'])
  })

  it('approving exits 1 when the approved call fails, though its run goes on to an answer', async () => {
    const folder = workFolder()
    const { request } = await startedRun(folder)
    mkdirSync(join(folder.path, '.fairlead', 'tickets.txt'))
    const ended = await cliHere(folder.path, ['approvals', 'approve', request, '--json'])
    expect(ended.code).toBe(1)
    expect(ended.error).toMatch(/^fairlead: INTERNAL: /m)
    expect(JSON.parse(ended.out)).toMatchObject({ stopReason: 'answered', text: 'No ticket: INTERNAL.' })
  })

  it('deny tells the model, runs nothing, and keeps who and why', async () => {
    const folder = workFolder()
    const { request } = await startedRun(folder)
    const ended = await cliHere(folder.path, ['approvals', 'deny', request, '--reason', 'not today'])
    expect(ended.code).toBe(0)
    expect(ended.out).toContain('No ticket: APPROVAL_DENIED.')
    expect(folder.tickets()).toEqual([])
    const shown = await cliHere(folder.path, ['approvals', 'show', request, '--json'])
    expect(JSON.parse(shown.out)).toMatchObject({
      id: request,
      status: 'denied',
      decidedBy: 'ann',
      reason: 'not today',
    })
  })

  it('an unknown request says so', async () => {
    const folder = workFolder()
    await startedRun(folder)
    const ended = await cliHere(folder.path, ['approvals', 'approve', 'approval_nope'])
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.error).toContain('There is no approval request approval_nope')
  })

  it('an expired request says when, and runs nothing', async () => {
    const folder = workFolder()
    const { request } = await startedRun(folder)
    const ended = await cliHere(folder.path, ['approvals', 'approve', request], { hoursLater: 25 })
    expect(ended.code).toBe(1)
    expect(ended.error).toMatch(/expired at \d{4}-\S+Z/)
    expect(folder.tickets()).toEqual([])
  })

  it('a decision whose process died is named, and resume finishes the run', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    const store = sqliteStore({ file: folder.store })
    await decideApproval(store, { id: request, approved: true, by: 'bob' }, { clock: systemClock })
    await store.close()

    const late = await cliHere(folder.path, ['approvals', 'approve', request])
    expect(late.code).toBe(1)
    expect(late.error).toContain(`fairlead resume ${run.runId}`)
    expect(folder.tickets()).toEqual([])

    const resumed = await cliHere(folder.path, ['resume', run.runId, '--json'])
    expect(resumed.code).toBe(0)
    expect(JSON.parse(resumed.out)).toMatchObject({
      runId: run.runId,
      stopReason: 'answered',
      text: 'The ticket is open.',
    })
    expect(folder.tickets()).toEqual(['the lift'])

    const over = await cliHere(folder.path, ['resume', run.runId])
    expect(over).toMatchObject({ code: 1, out: '', error: expect.stringContaining('has ended (answered)') })
  })

  it('a decision on a run that ended meanwhile is not recorded, and says so', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    const store = sqliteStore({ file: folder.store })
    const record = await store.journal.run(run.runId)
    if (record === undefined) throw new Error('The run is not in the store.')
    const ended = { ...record, status: 'ended', stopReason: 'aborted', endedAt: systemClock.now() } as const
    await store.journal.append([{ kind: 'run-changed', expectedStatus: 'suspended', worker: null, run: ended }])
    await store.close()
    const late = await cliHere(folder.path, ['approvals', 'approve', request])
    expect(late.code).toBe(1)
    expect(late.error).toMatch(
      /^fairlead: The run of request approval_\w+ has ended \(aborted\): [^\n]+ none was recorded/,
    )
    expect(late.error).not.toContain('fairlead resume')
    expect(folder.tickets()).toEqual([])
  })

  it('a decision whose process is about to go on with the run is no reason to advise resume', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    const store = sqliteStore({ file: folder.store })
    await decideApproval(store, { id: request, approved: true, by: 'bob' }, { clock: systemClock })
    let looks = 0
    const late = await cliHere(folder.path, ['approvals', 'approve', request], {
      sleep: async () => {
        looks += 1
        const lease = { worker: 'worker_of_bob', until: systemClock.now() + 600_000 }
        const claim = { kind: 'run-claimed', runId: run.runId, expectedLease: null, lease } as const
        const record = await store.journal.run(run.runId)
        if (record === undefined) return
        const running = { ...record, status: 'running', lease } as const
        const changed = {
          kind: 'run-changed',
          expectedStatus: 'suspended',
          worker: lease.worker,
          run: running,
        } as const
        await store.journal.append([claim, changed])
      },
    })
    await store.close()
    expect(looks).toBe(1)
    expect(late).toMatchObject({
      code: 1,
      error: expect.stringMatching(/approved by bob .* goes on in another process\./),
    })
    expect(late.error).not.toContain('resume')
  })

  it('a run that a living process works on keeps the decision and goes on there', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    const store = sqliteStore({ file: folder.store })
    const lease = { worker: 'worker_elsewhere', until: systemClock.now() + 600_000 }
    await store.journal.append([{ kind: 'run-claimed', runId: run.runId, expectedLease: null, lease }])
    await store.close()

    const ended = await cliHere(folder.path, ['approvals', 'approve', request, '--json'])
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.out)).toMatchObject({ runId: run.runId, approvals: [], report: null })
    expect(ended.error).toContain('goes on there')
    const late = await cliHere(folder.path, ['approvals', 'deny', request, '--reason', 'too late'])
    expect(late).toMatchObject({ code: 1, error: expect.stringContaining('Its run goes on in another process.') })
    expect(late.error).not.toContain('resume')
    const resumed = await cliHere(folder.path, ['resume', run.runId])
    expect(resumed).toMatchObject({ code: 1, error: expect.stringContaining('Another process is working on run') })
    expect(folder.tickets()).toEqual([])
  })

  it('a run whose process died after the decision can be resumed at once, and that is said', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    const store = sqliteStore({ file: folder.store })
    await decideApproval(store, { id: request, approved: true, by: 'bob' }, { clock: systemClock })
    // A process of this machine that has ended, named as it names itself.
    const name =
      "import('@fairlead/runtime').then(async ({ Agent, tool }) => { const a = new Agent({ tools: [tool({ name: 'x', description: 'x', inputSchema: { type: 'object' }, effects: 'read', execute: async () => { const [r] = await a.store.journal.runs({}); process.stdout.write(r.lease.worker) } })] }); await a.call('x', {}).result })"
    const flags = [
      '--conditions=@fairlead/source',
      '--import',
      import.meta.resolve('tsx'),
      '--input-type=module',
      '-e',
      name,
    ]
    const { stdout: worker } = spawnSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: 'utf8' })
    expect(worker.split('|').length).toBeGreaterThan(3)
    const lease = { worker, until: systemClock.now() + 600_000 }
    await store.journal.append([{ kind: 'run-claimed', runId: run.runId, expectedLease: null, lease }])
    await store.close()
    const late = await cliHere(folder.path, ['approvals', 'deny', request, '--reason', 'too late'])
    expect(late).toMatchObject({ code: 1, error: expect.stringContaining(`go on with: fairlead resume ${run.runId}`) })
    expect(await cliHere(folder.path, ['resume', run.runId])).toMatchObject({ code: 0 })
    expect(folder.tickets()).toEqual(['the lift'])
  })

  it.each([
    ['is gone', []],
    ['is not where --config says', ['--config', 'elsewhere.ts']],
    ['is broken', ['--config', 'broken.ts']],
  ])('nothing is recorded when the configuration %s, and --config names another', async (_name, options) => {
    const folder = workFolder()
    const { request } = await startedRun(folder)
    renameSync(join(folder.path, 'fairlead.config.ts'), join(folder.path, 'moved.ts'))
    writeFileSync(join(folder.path, 'broken.ts'), 'export default {')
    for (const words of [
      ['approvals', 'approve', request],
      ['approvals', 'deny', request, '--reason', 'not today'],
    ]) {
      const ended = await cliHere(folder.path, [...words, ...options])
      expect(ended).toMatchObject({ code: 2, out: '' })
      expect(ended.error).toMatch(/^fairlead: [^\n]+ Nothing was recorded; --config FILE names another [^\n]+\n$/)
    }
    const shown = await cliHere(folder.path, ['approvals', 'show', request, '--json'])
    expect(JSON.parse(shown.out)).toMatchObject({ status: 'pending' })
    const approved = await cliHere(folder.path, ['approvals', 'approve', request, '--config', 'moved.ts'])
    expect(approved.code).toBe(0)
    expect(folder.tickets()).toEqual(['the lift'])
  })

  it('a settled request is told as settled, whatever became of the configuration', async () => {
    const folder = workFolder()
    const { request } = await startedRun(folder)
    await cliHere(folder.path, ['approvals', 'approve', request])
    renameSync(join(folder.path, 'fairlead.config.ts'), join(folder.path, 'moved.ts'))
    const ended = await cliHere(folder.path, ['approvals', 'approve', request])
    expect(ended).toMatchObject({ code: 1, error: expect.stringContaining('is settled already: approved by ann') })
  })

  it('resume of a run that still waits names the request again', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    const ended = await cliHere(folder.path, ['resume', run.runId])
    expect(ended.code).toBe(0)
    expect(ended.out).toContain(`fairlead approvals approve ${request}`)
  })
})

describe('looking back', () => {
  it('lists and shows runs, calls, evidence and requests in stable forms', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)

    const runs = JSON.parse((await cliHere(folder.path, ['trace', 'list', '--json'])).out) as {
      readonly items: unknown
    }
    expect(runs.items).toMatchObject([
      {
        id: run.runId,
        agent: 'desk',
        principal: { id: 'ann', roles: ['sre'] },
        environment: 'staging',
        status: 'suspended',
        startedWith: { example: null, data: null, offline: true, environment: 'staging' },
      },
    ])
    const pending = JSON.parse((await cliHere(folder.path, ['approvals', 'list', '--json'])).out) as {
      readonly items: unknown
    }
    expect(pending.items).toMatchObject([{ id: request, status: 'pending', runId: run.runId }])

    const trace = JSON.parse((await cliHere(folder.path, ['trace', 'show', run.runId, '--json'])).out) as {
      readonly calls: readonly { readonly tool: string; readonly result: { readonly evidenceUri: string } | null }[]
    }
    expect(trace.calls).toMatchObject([
      {
        tool: 'look_up',
        modelReason: 'I look it up first.',
        decision: { effect: 'allow' },
        result: { status: 'success' },
      },
      { tool: 'open_ticket', decision: { effect: 'ask' }, result: null, latencyMs: null },
    ])
    const uri = trace.calls[0]?.result?.evidenceUri ?? 'none'
    const evidence = await cliHere(folder.path, ['evidence', 'show', uri, '--json'])
    expect(JSON.parse(evidence.out)).toMatchObject({
      uri,
      value: { title: 'the lift', environment: 'staging', data: null },
    })

    for (const words of [
      ['trace', 'list'],
      ['trace', 'show', run.runId],
      ['approvals', 'list'],
      ['evidence', 'show', uri],
    ]) {
      const human = await cliHere(folder.path, words)
      expect(human.code).toBe(0)
      expect(human.out.length).toBeGreaterThan(20)
    }
  })
})

describe('approvals show', () => {
  it('of a pending request offers the commands that decide it', async () => {
    const folder = workFolder()
    const { request } = await startedRun(folder)
    const { out } = await cliHere(folder.path, ['approvals', 'show', request])
    expect(out).toMatch(/^\? open_ticket/)
    expect(out).toContain(`  approve: fairlead approvals approve ${request}\n`)
    expect(out).toContain(`  deny:    fairlead approvals deny ${request} --reason 'say why'\n`)
    const shown = await cliHere(folder.path, ['approvals', 'show', request, '--json'])
    expect(JSON.parse(shown.out)).toMatchObject({ status: 'pending', call: { state: 'NeedsApproval', result: null } })
  })

  it('of a settled one tells run, call, who and when, and what became of the call', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    await cliHere(folder.path, ['approvals', 'approve', request, '--by', 'bob'])
    const { out } = await cliHere(folder.path, ['approvals', 'show', request])
    expect(out).toMatch(/^✓ open_ticket/)
    expect(out).toMatch(/^ {2}status +approved by bob at \d{4}-\S+Z$/m)
    expect(out).toMatch(new RegExp(`^ {2}run +${run.runId}$`, 'm'))
    expect(out).toMatch(/^ {2}call +call_\w+$/m)
    expect(out).toMatch(/^ {2}outcome +Succeeded, .*opened/m)
    expect(out).not.toContain('approvals approve')
    const shown = await cliHere(folder.path, ['approvals', 'show', request, '--json'])
    expect(JSON.parse(shown.out)).toMatchObject({
      runId: run.runId,
      call: { state: 'Observed', result: { status: 'success', errorCode: null } },
    })
  })

  it('of a denied one tells the refusal and its reason', async () => {
    const folder = workFolder()
    const { request } = await startedRun(folder)
    await cliHere(folder.path, ['approvals', 'deny', request, '--reason', 'not today'])
    const { out } = await cliHere(folder.path, ['approvals', 'show', request])
    expect(out).toMatch(/^✗ open_ticket/)
    expect(out).toMatch(/^ {2}status +denied by ann at \S+Z: not today$/m)
    expect(out).toMatch(/^ {2}outcome +Denied, APPROVAL_DENIED: /m)
  })
})

describe('call counts', () => {
  it('are one number where every proposed call was executed, and both where not', async () => {
    const folder = workFolder()
    const { run, request } = await startedRun(folder)
    const both = '1 executed of 2 proposed'
    expect((await cliHere(folder.path, ['trace', 'list'])).out).toContain(both)
    expect((await cliHere(folder.path, ['trace', 'show', run.runId])).out).toContain(`calls ${both}, tokens`)
    const counts = async (): Promise<unknown> =>
      JSON.parse((await cliHere(folder.path, ['trace', 'list', '--json'])).out)
    expect(await counts()).toMatchObject({ items: [{ calls: 1, callsProposed: 2 }] })
    await cliHere(folder.path, ['approvals', 'approve', request])
    expect(await counts()).toMatchObject({ items: [{ calls: 2, callsProposed: 2 }] })
    expect((await cliHere(folder.path, ['trace', 'list'])).out).not.toContain('proposed')
    expect((await cliHere(folder.path, ['trace', 'show', run.runId])).out).toContain('calls 2, tokens')
  })
})

describe('tools', () => {
  it('lists contracts without making a store', async () => {
    const folder = workFolder()
    const ended = await cliHere(folder.path, ['tools', 'list', '--json'])
    const { items } = JSON.parse(ended.out) as { readonly items: readonly { readonly name: string }[] }
    expect(items.map(({ name }) => name)).toEqual(['look_up', 'open_ticket', 'wait_for_ever'])
    expect(items[1]).toMatchObject({ effects: 'write', risk: 'medium', needsApproval: 'always', inputSchema: {} })
  })

  it('calls one down the pipeline, with the run and the full result', async () => {
    const folder = workFolder()
    const words = ['tools', 'call', 'look_up', '--args', '{"title":"x"}', '--data', '.', '--json']
    const ended = await cliHere(folder.path, words)
    expect(ended.code).toBe(0)
    const document = JSON.parse(ended.out) as {
      readonly runId: string
      readonly result: { readonly evidenceUri: string }
    }
    expect(document.result).toMatchObject({
      status: 'success',
      data: { title: 'x', environment: 'dev', data: folder.path },
      errorCode: null,
      retryable: false,
      latencyMs: expect.any(Number),
    })
    expect(document.result.evidenceUri).toContain(document.runId)
  })

  it.each([
    ['an unknown tool', ['constructor'], 'UNKNOWN_TOOL'],
    ['arguments that do not fit', ['look_up', '--args', '{"title":1}'], 'INVALID_ARGUMENT'],
  ])('answers %s with its code and exit 1', async (_name, words, errorCode) => {
    const ended = await cliHere(workFolder().path, ['tools', 'call', ...words, '--json'])
    expect(ended.code).toBe(1)
    expect(JSON.parse(ended.out)).toMatchObject({ result: { status: 'error', errorCode, data: null } })
    expect(ended.error).toContain(errorCode)
  })

  it('asks for approval of its own calls too, and approving runs them', async () => {
    const folder = workFolder()
    const words = ['tools', 'call', 'open_ticket', '--args', '{"title":"door"}', '--json']
    const ended = await cliHere(folder.path, words)
    expect(ended.code).toBe(0)
    const document = JSON.parse(ended.out) as RunDocument & { readonly result: unknown }
    expect(document).toMatchObject({ stopReason: 'approval_required', result: null })
    const approved = await cliHere(folder.path, ['approvals', 'approve', document.approvals[0]?.id ?? 'none'])
    expect(approved.code).toBe(0)
    expect(folder.tickets()).toEqual(['door'])
  })

  it('approving one that then fails exits 1 like tools call, and denying it is no failure', async () => {
    const folder = workFolder('meter')
    const started = async (): Promise<string> => {
      const words = ['tools', 'call', 'cut_power', '--args', '{"room":"cellar"}', '--json']
      const document = JSON.parse((await cliHere(folder.path, words)).out) as RunDocument
      return document.approvals[0]?.id ?? 'none'
    }
    const approved = await cliHere(folder.path, ['approvals', 'approve', await started()])
    expect(approved).toMatchObject({ code: 1, error: expect.stringContaining('fairlead: SWITCH_STUCK: ') })
    const denied = await cliHere(folder.path, ['approvals', 'deny', await started(), '--reason', 'no'])
    expect(denied).toMatchObject({ code: 0, error: '' })
  })
})
