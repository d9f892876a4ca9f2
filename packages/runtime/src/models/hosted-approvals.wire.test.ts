import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAI as createOpenAIV4 } from 'openai-v4'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Agent } from '../core/index.ts'
import { fromAiSdk } from './from-ai-sdk.ts'

type Item = { readonly type?: string; readonly [key: string]: unknown }
type Body = { readonly input: readonly Item[]; readonly tools?: readonly Item[]; readonly stream?: boolean }

const asks: readonly Item[] = [
  { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'mail', tools: [] },
  { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'mail', name: 'send_mail', arguments: '{"to":"ann"}' },
]

function says(text: string): Item {
  return {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  }
}

function carriedOut(approved: boolean): readonly Item[] {
  if (!approved) return [says('Then not.')]
  const call = { type: 'mcp_call', id: 'mcp_1', approval_request_id: 'mcpr_1', server_label: 'mail', name: 'send_mail' }
  return [{ ...call, arguments: '{"to":"ann"}', output: 'sent', status: 'completed', error: null }, says('Sent.')]
}

/** A Responses API with a hosted MCP server that asks before its tool is called: as much of it as this needs. */
async function responsesServer(): Promise<{ readonly url: string; readonly bodies: readonly Body[] }> {
  const bodies: Body[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const body = JSON.parse(text) as Body
      bodies.push(body)
      const answer = body.input.findLast(({ type }) => type === 'mcp_approval_response')
      const output = answer === undefined ? asks : carriedOut(answer['approve'] === true)
      if (body.stream === true) stream(response, output)
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(whole(output)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, bodies }
}

function whole(output: readonly Item[]): object {
  const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 }
  return { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'gpt-4o', output, usage }
}

function stream(response: ServerResponse, output: readonly Item[]): void {
  response.setHeader('content-type', 'text/event-stream')
  const send = (event: object): void => void response.write(`data: ${JSON.stringify(event)}\n\n`)
  send({ type: 'response.created', response: { ...whole([]), status: 'in_progress' } })
  for (const [index, item] of output.entries()) {
    send({ type: 'response.output_item.added', output_index: index, item })
    const [part] = (item['content'] ?? []) as readonly { readonly text: string }[]
    if (part !== undefined)
      send({
        type: 'response.output_text.delta',
        item_id: item['id'],
        output_index: index,
        content_index: 0,
        delta: part.text,
      })
    send({ type: 'response.output_item.done', output_index: index, item })
  }
  send({ type: 'response.completed', response: whole(output) })
  response.end()
}

const providers = [
  { name: 'v3', make: createOpenAI },
  { name: 'v4', make: createOpenAIV4 },
] as const

describe.each(providers)('hosted MCP of the Responses API, $name', ({ make }) => {
  const cases = [
    { streamed: false, held: false, approved: true },
    { streamed: true, held: false, approved: true },
    { streamed: true, held: true, approved: true },
    { streamed: false, held: true, approved: false },
    { streamed: false, held: false, approved: false },
  ]
  it.each(cases)(
    'MAF 53: question and answer go over the wire (streamed $streamed, held $held, approved $approved)',
    async (one) => {
      const { url, bodies } = await responsesServer()
      const provider = make({ apiKey: 'x', baseURL: url })
      const agent = new Agent({
        model: fromAiSdk(provider.responses('gpt-4o'), {
          serviceHeldHistory: one.held,
          providerTools: { mail: provider.tools.mcp({ serverLabel: 'mail', serverUrl: 'https://mail.example/mcp' }) },
        }),
      })
      const stopped = await (one.streamed ? agent.stream('Mail Ann.').result : agent.run('Mail Ann.'))
      expect(stopped).toMatchObject({ stopReason: 'hosted_approval_required', error: null })
      expect(stopped.hostedApprovals).toMatchObject([
        { id: 'mcpr_1', tool: 'mcp.send_mail', arguments: '{"to":"ann"}' },
      ])
      const answers = stopped.hostedApprovals.map((request) =>
        one.approved ? request.approve({ by: 'bob' }) : request.deny({ by: 'bob', reason: 'no' }),
      )
      const done = await (one.streamed ? agent.stream(answers).result : agent.run(answers))
      expect(done).toMatchObject({ stopReason: 'answered', text: one.approved ? 'Sent.' : 'Then not.', error: null })
      expect(bodies).toHaveLength(2)
      for (const { tools } of bodies) expect(tools).toMatchObject([{ type: 'mcp', server_label: 'mail' }])
      const answer = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: one.approved }
      expect(bodies[1]?.input.filter(({ type }) => type === 'mcp_approval_response')).toEqual([answer])
      if (one.held) expect(bodies[1]?.input).toEqual([answer])
      expect(await agent.store.journal.calls(done.runId)).toEqual([])
    },
  )
})

it('refuses what is no tool of a provider', () => {
  const model = createOpenAI({ apiKey: 'x' }).responses('gpt-4o')
  const providerTools = { mine: { name: 'mine', execute: () => 1 } } as never
  expect(() => fromAiSdk(model, { providerTools })).toThrow(/providerTools\.mine: .*found an object with name, execute/)
})
