import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'

/** How many messages may wait for a conversation's next turn. */
const room = 1_000

/**
 * Messages for a conversation that wait for the next turn of its model, oldest first. In this process only: they become
 * part of the stored conversation when the turn takes them.
 */
export class Inbox {
  #messages: Message[] = []

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  push(message: Message): void {
    if (this.#messages.length >= room) {
      throw new FairleadError('INVALID_MESSAGE', `${room} messages wait for this conversation already; run it first.`)
    }
    this.#messages.push(message)
  }

  take(): readonly Message[] {
    const messages = this.#messages
    this.#messages = []
    return messages
  }
}
