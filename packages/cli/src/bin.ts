#!/usr/bin/env node
import { exitCode, requestFailure } from './exit.ts'
import { guardOutput } from './guard-output.ts'
import { flushOutput, processHost } from './host.ts'
import { main, tellFailure } from './main.ts'
import { ownWords } from './own-words.ts'

const words = process.argv.slice(2)
const host = processHost(ownWords(import.meta.url, process.cwd(), process.env))
const guard = guardOutput({ isDocument: words.includes('--json') })
let isOver = false

const crash = (thrown: unknown): void => {
  isOver = true
  tellFailure(thrown, host)
  process.exit(exitCode.failed)
}
process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
process.on('exit', (code) => {
  if (isOver || code === exitCode.interrupted) return
  // Whoever reads the exit code must not take a command that was cut off for one that was done.
  const told = `The configuration, or a tool, ended the process (process.exit(${code})) before the command was done.`
  process.exitCode = tellFailure(requestFailure(told), host)
})

// What a tool or a back-off waits for may hold nothing that keeps a process alive; an unfinished command does.
const alive = setInterval(() => undefined, 60_000)
const exit = await main(words, host)
clearInterval(alive)
isOver = true
guard.release()
await flushOutput()
// A configuration may have opened servers or pools of its own; they do not keep a finished command alive.
process.exit(exit)
