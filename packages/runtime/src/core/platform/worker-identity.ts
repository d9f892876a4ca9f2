import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Names this process so that another one on the same machine can tell whether it is gone: host, process-id space,
 * process id and start time. A lease of a process that is surely gone need not run out before it is taken over.
 */
export function workerIdentity(id: string): string {
  return `${thisProcess()}|${id}`
}

/** True only when the named process surely no longer exists; `false` whenever it cannot be told from here. */
export function isWorkerGone(worker: string): boolean {
  const [host, space, pidText, startTime] = worker.split('|')
  const [ourHost, ourSpace] = thisPlace()
  if (host !== ourHost || space !== ourSpace || pidText === undefined) return false
  const pid = Number(pidText)
  if (!Number.isInteger(pid) || pid <= 0) return false
  if (worker.startsWith(`${thisProcess()}|`)) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  // The number lives, but it may be another process by now.
  const found = startTimeOf(pidText)
  return startTime !== '-' && found !== null && found !== startTime
}

// Read once: neither changes while the process lives, and every run asks.
let known: string | undefined

function thisProcess(): string {
  known ??= [...thisPlace(), String(process.pid), startTimeOf('self') ?? '-'].join('|')
  return known
}

function thisPlace(): readonly [string, string] {
  try {
    return [hostname(), readlinkSync('/proc/self/ns/pid')]
  } catch {
    return [hostname(), '-']
  }
}

function startTimeOf(pid: string): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name, in parentheses, may hold spaces: count fields after it. Start time is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
