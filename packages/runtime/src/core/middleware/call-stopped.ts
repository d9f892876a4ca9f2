import { FairleadError } from '../fairlead-error.ts'

/**
 * What middleware hears from `next`, `requireApproval`, `reject` or `replaceArgs` when its call goes no further now: a
 * person is asked, it was refused, or the run stops. Let it pass, or clean up and let it pass: catching it changes
 * nothing.
 */
export class CallStopped extends FairleadError {
  override readonly name = 'CallStopped'

  constructor(why: string) {
    super('CALL_STOPPED', why)
  }
}
