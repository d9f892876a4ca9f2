/**
 * What a journal gives back whose entries are durable when `append` returns, as those of a store in memory are: whoever
 * writes then goes on at once, without waiting for a promise. To everybody else it is a resolved promise.
 */
export const writtenNow: Promise<void> = Promise.resolve()
