import { mostAttempts } from './adapt-calls.ts'

const alertsRead = 2
const waves = 2
const tickets = 1

/**
 * How many batches with a failed call may follow each other before a diagnosis is written: the alert of the likeliest
 * and of the named service, every attempt of the calls that collect and of those that follow up, and the ticket.
 */
export const mostFailedBatches: number = alertsRead + waves * mostAttempts + tickets
