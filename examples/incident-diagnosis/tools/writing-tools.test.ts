import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tool } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { runTool, testContext } from '../planner/testing/test-driver.ts'
import { incidentTools } from './incident-tools.ts'

async function offered(actions: boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'writing-'))
  const unused = async () => 'http://127.0.0.1:9'
  const open = () =>
    incidentTools({
      dataDirectory: folder,
      ticketsFile: join(folder, 'tickets.jsonl'),
      ...(actions ? { actionsFile: join(folder, 'actions.jsonl') } : {}),
      prometheusUrl: unused,
      lokiUrl: unused,
    })
  const named = (name: string): Tool => {
    const found = open().find(({ contract }) => contract.name === name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return found
  }
  const lines = async (file: string) =>
    (await readFile(join(folder, file), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
  return { names: open().map(({ contract }) => contract.name), named, lines }
}

const call = (idempotencyKey: string) => testContext({ idempotencyKey })
const restart = { service: 's-api', reason: 'asked for' }

describe('the tools that write', () => {
  it('act on production only where that was switched on', async () => {
    const [usual, withActions] = [await offered(false), await offered(true)]
    expect(usual.names).toHaveLength(8)
    expect(withActions.names.filter((name) => !usual.names.includes(name))).toEqual([
      'restart_service',
      'rollback_deployment',
    ])
  })

  it.each([
    ['create_incident_ticket', 'write'],
    ['send_slack_message', 'write'],
    ['restart_service', 'destructive'],
    ['rollback_deployment', 'destructive'],
  ])('need approval for %s, whose effects are %s', async (name, effects) => {
    const { contract } = (await offered(true)).named(name)
    expect(contract).toMatchObject({ effects, needsApproval: true, class: 'idempotencyKey' })
    expect(contract.impact).not.toBeNull()
  })

  it('send one message per key, also after a restart', async () => {
    const { named, lines } = await offered(false)
    const message = { channel: '#incidents', text: 's-api is slow since 12:05.' }
    const first = await runTool(named('send_slack_message'), message, call('k1'))
    expect(first).toMatchObject({ data: { sent: true, channel: '#incidents' } })
    expect(await runTool(named('send_slack_message'), message, call('k1'))).toMatchObject({ data: { sent: false } })
    await runTool(named('send_slack_message'), message, call('k2'))
    expect(await lines('messages.jsonl')).toMatchObject([
      { ...message, idempotencyKey: 'k1', sentFor: 'tester', id: expect.stringMatching(/^MSG-[A-Z2-7]{6}$/) as string },
      { idempotencyKey: 'k2' },
    ])
  })

  it.each(['incidents', '#', '#Incidents', '# a', '@ann'])('do not take %j for a channel', async (channel) => {
    const { named } = await offered(false)
    await expect(runTool(named('send_slack_message'), { channel, text: 'x' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('record both actions in one file, once per key', async () => {
    const { named, lines } = await offered(true)
    const rollback = { service: 's-api', deployment_id: 'd-1', reason: 'it made requests slow' }
    expect(await runTool(named('restart_service'), restart, call('k1'))).toMatchObject({ data: { recorded: true } })
    expect(await runTool(named('restart_service'), restart, call('k1'))).toMatchObject({ data: { recorded: false } })
    expect(await runTool(named('rollback_deployment'), rollback, call('k2'))).toMatchObject({
      data: { recorded: true, action: 'rollback' },
    })
    expect(await lines('actions.jsonl')).toMatchObject([
      { action: 'restart', service: 's-api', deploymentId: null, reason: 'asked for', requestedFor: 'tester' },
      { action: 'rollback', deploymentId: 'd-1' },
    ])
  })
})
