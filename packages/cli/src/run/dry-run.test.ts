import { Agent, memoryStore, tool, ToolError, type Approval } from '@fairlead/runtime/core'
import { expect, it } from 'vitest'
import { sampleApproval } from '../../test/sample-records.ts'
import { dryRun, type DryRun } from './dry-run.ts'

const inputSchema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const

const approval: Approval = { ...sampleApproval, tool: 'post', version: '1', arguments: { title: 'x' } }
const run = { principal: { id: 'ann' }, environment: 'staging' }

type Given = Parameters<typeof tool<typeof inputSchema>>[0]

function agentWith(given: Partial<Given>): { readonly agent: Agent; readonly done: readonly unknown[] } {
  const done: unknown[] = []
  const post = tool({
    name: 'post',
    description: 'Posts.',
    inputSchema,
    effects: 'write',
    needsApproval: true,
    outputSchema: { type: 'object' },
    maxInvocations: 1,
    maxInvocationExceptions: 1,
    execute: (args) => {
      done.push(args)
      return {}
    },
    ...given,
  })
  return { agent: new Agent({ tools: [post], store: memoryStore() }), done }
}

async function rehearse(agent: Agent, limitMs: number = 5000, asked: Approval = approval): Promise<DryRun> {
  return dryRun(agent, { approval: asked, run }, { limitMs, signal: new AbortController().signal })
}

it('runs the dry run alone, as the call would run, and leaves neither record nor count', async () => {
  const { agent, done } = agentWith({
    dryRun: (args, context) => ({
      args,
      who: context.principal.id,
      where: context.environment,
      session: context.session.id,
    }),
  })
  for (let time = 0; time < 3; time += 1) {
    expect(await rehearse(agent)).toEqual({
      kind: 'said',
      value: { args: { title: 'x' }, who: 'ann', where: 'staging', session: approval.sessionId },
    })
  }
  expect(done).toEqual([])
  expect(await agent.store.journal.runs()).toEqual([])
  const { approvals } = await agent.call('post', { title: 'x' }).result
  const [request] = approvals
  if (request === undefined) throw new Error('Nothing was asked.')
  await agent.run([request.approve({ by: 'ann' })])
  expect(done).toEqual([{ title: 'x' }])
})

it('does nothing where there is none, or the tool is another by now', async () => {
  const { agent, done } = agentWith({})
  expect(await rehearse(agent)).toEqual({ kind: 'none' })
  const other = agentWith({ dryRun: () => 'said' })
  expect(await rehearse(other.agent, 5000, { ...approval, version: '2' })).toEqual({ kind: 'none' })
  expect(await rehearse(other.agent, 5000, { ...approval, tool: 'unknown' })).toEqual({ kind: 'none' })
  expect([...done, ...other.done]).toEqual([])
})

it.each([
  ['throws', () => Promise.reject(new Error('cold')), 'cold'],
  ['refuses', () => Promise.reject(new ToolError('COLD', 'It is cold.')), 'COLD: It is cold.'],
  ['never answers', () => new Promise(() => undefined), 'it gave no answer within 0.05 s'],
] as const)('says that a dry run failed that %s', async (_name, fails, because) => {
  const { agent } = agentWith({ dryRun: fails })
  expect(await rehearse(agent, because.startsWith('it gave') ? 50 : 5000)).toEqual({ kind: 'failed', because })
})
