// #region suspend-and-resume
import { Agent, tool, type ApprovalResponsePart } from 'fairlead'
import { statelessScript } from '@fairlead/runtime/testing'
import { z } from 'zod'

export const paid: string[] = []

/** Made anew for every request: nothing outlives it but what the browser sends back. */
function treasurer(): Agent {
  return new Agent({
    // In a real model's place. It keeps nothing, so it goes on anywhere.
    model: statelessScript([{ calls: [{ name: 'pay', arguments: { to: 'Bob', euros: 20 } }] }, 'Bob has his money.']),
    tools: [
      tool({
        name: 'pay',
        description: 'Pays somebody.',
        inputSchema: z.strictObject({ to: z.string(), euros: z.int().min(1) }),
        effects: 'write',
        needsApproval: true,
        execute: ({ to, euros }) => void paid.push(`${euros} to ${to}`),
      }),
    ],
    approvalSecret: process.env['APPROVAL_SECRET'] ?? 'for this example only, never in code',
  })
}

/** The first request: what the browser keeps and shows. */
export async function ask(prompt: string): Promise<string> {
  const result = await treasurer().run(prompt)
  return JSON.stringify({ continuation: result.continuation, approvals: result.approvals })
}

/** The second request, perhaps on another machine: what the browser sends back. */
export async function answer(body: string): Promise<string> {
  const { continuation, answers } = JSON.parse(body) as { continuation: string; answers: ApprovalResponsePart[] }
  const result = await treasurer().run(answers, { continuation })
  return [...result.refused.map(({ reason }) => reason), result.text].join('\n')
}
// #endregion
