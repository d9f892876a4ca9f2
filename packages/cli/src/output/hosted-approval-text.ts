import type { Colours } from './colours.ts'
import type { HostedApprovalView } from './run-json.ts'
import { visibleLine } from './visible-text.ts'

/** A provider's own question: what it wants to carry out. All of it is text of the model or the provider. */
export function hostedApprovalText(request: HostedApprovalView, colours: Colours): string {
  return [
    `${colours.yellow('?')} ${colours.bold(visibleLine(request.tool ?? 'a tool of the provider'))}`,
    `  ${colours.dim('request')}    ${visibleLine(request.id)}`,
    ...(request.arguments === null ? [] : [`  ${colours.dim('arguments')}  ${visibleLine(request.arguments)}`]),
  ].join('\n')
}

export const hostedAdvice: string =
  'The provider asks before it carries out a tool of its own, which Fairlead does not govern. ' +
  'Answer in code: agent.run([request.approve({ by })]), with request of result.hostedApprovals.'
