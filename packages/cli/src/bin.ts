#!/usr/bin/env node
import { flushOutput, processHost } from './host.ts'
import { main, tellFailure } from './main.ts'
import { ownWords } from './own-words.ts'

const host = processHost(ownWords(import.meta.url, process.cwd(), process.env))

const crash = (thrown: unknown): void => {
  tellFailure(thrown, host)
  process.exit(1)
}
process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)

// What a tool or a back-off waits for may hold nothing that keeps a process alive; an unfinished command does.
const alive = setInterval(() => undefined, 60_000)
const exit = await main(process.argv.slice(2), host)
clearInterval(alive)
await flushOutput()
// A configuration may have opened servers or pools of its own; they do not keep a finished command alive.
process.exit(exit)
