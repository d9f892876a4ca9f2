import { describe, expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { cliProcess } from './cli-process.ts'
import { workFolder } from './work-folder.ts'

const prompt = 'The P95 latency of order-service rose from 200ms to 2s. Please analyse the likely causes.'

type Report = {
  readonly conclusion: { readonly cause: string; readonly confidence: string }
  readonly evidence: readonly { readonly uri: string }[]
}

type Document = {
  readonly runId: string
  readonly stopReason: string
  readonly approvals: readonly { readonly id: string; readonly tool: string }[]
  readonly report: Report
}

describe('the worked case by its name', () => {
  it('gives a report whose evidence can be shown, and a ticket after approval', async () => {
    const { path } = workFolder()
    const ended = await cliHere(path, ['run', prompt, '--example', 'incident-diagnosis', '--json'])
    expect(ended.code).toBe(0)
    const run = JSON.parse(ended.out) as Document
    expect(run).toMatchObject({
      stopReason: 'approval_required',
      approvals: [{ tool: 'create_incident_ticket' }],
      report: { conclusion: { cause: 'deployment', confidence: 'high' } },
    })
    expect(ended.error).toContain('not from a language model')

    const uris = [...new Set(run.report.evidence.map(({ uri }) => uri))]
    expect(uris.length).toBeGreaterThan(3)
    for (const uri of uris) {
      const shown = await cliHere(path, ['evidence', 'show', uri, '--json'])
      expect(JSON.parse(shown.out)).toMatchObject({ uri, runId: run.runId })
    }

    const approved = await cliHere(path, ['approvals', 'approve', run.approvals[0]?.id ?? 'none', '--json'])
    expect(approved.code).toBe(0)
    expect(JSON.parse(approved.out)).toMatchObject({ runId: run.runId, stopReason: 'answered', approvals: [] })
  })
})

it('says that it compiles the example, the first time only', async () => {
  const { path } = workFolder()
  const words = ['tools', 'list', '--example', 'incident-diagnosis']
  const told = 'Compiling the example incident-diagnosis for the first time; this takes some seconds, once.\n'
  expect(await cliProcess(path, words).ended).toMatchObject({ code: 0, error: told })
  expect(await cliProcess(path, words).ended).toMatchObject({ code: 0, error: '' })
}, 120_000)
