/**
 * What an agent inside a call gives back when its own run waits: the call waits with it, and is carried out again, from
 * where it stood, when the run it belongs to goes on. Made by agent tools alone.
 */
export class Suspension {
  readonly reason: 'approval_required' | 'client_tool_required' | 'in_doubt'

  constructor(reason: Suspension['reason']) {
    this.reason = reason
  }
}
