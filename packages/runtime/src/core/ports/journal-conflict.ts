import { FairleadError } from '../fairlead-error.ts'
import type { JournalEntry } from './journal.ts'

/** An expectation of a batch did not hold: somebody else was first. Nothing of the batch was written. */
export class JournalConflict extends FairleadError {
  override readonly name = 'JournalConflict'
  /** The kind of the entry that was refused. */
  readonly entry: JournalEntry['kind']

  constructor(entry: JournalEntry['kind'], found: string) {
    super('JOURNAL_CONFLICT', `The journal refused "${entry}": ${found}. Read the current state and decide again.`)
    this.entry = entry
  }
}
