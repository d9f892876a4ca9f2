import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { mustRun } from '../package/run-command.ts'

const readyWithinMilliseconds = 60_000

/** A server over one metrics file; `stop` resolves when its process has ended. */
export interface RunningPrometheus {
  readonly url: string
  stop(): Promise<void>
}

/** Loads OpenMetrics text into a new database and serves it on a free port of 127.0.0.1. */
export async function startPrometheus(
  binaries: { readonly prometheus: string; readonly promtool: string },
  { metricsFile, folder }: { readonly metricsFile: string; readonly folder: string },
): Promise<RunningPrometheus> {
  mkdirSync(folder, { recursive: true })
  const database = join(folder, 'tsdb')
  const configuration = join(folder, 'prometheus.yml')
  writeFileSync(configuration, 'global: {}\n')
  const where = { folder, variables: process.env }
  mustRun(binaries.promtool, ['tsdb', 'create-blocks-from', 'openmetrics', metricsFile, database], where)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = spawn(
    binaries.prometheus,
    [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${database}`,
      // The data may be of any year; by default only the last days would be kept.
      '--storage.tsdb.retention.time=100y',
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const ended = new Promise<void>((resolve) => {
    server.once('exit', () => resolve())
    server.once('error', () => resolve())
  })
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM')
    await ended
  }
  try {
    await untilReady(url, () => server.exitCode)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

async function untilReady(url: string, exitCode: () => number | null): Promise<void> {
  const deadline = Date.now() + readyWithinMilliseconds
  while (Date.now() < deadline) {
    if (exitCode() !== null) throw new Error(`Prometheus ended with code ${exitCode()} before it was ready.`)
    const ready = await fetch(`${url}/-/ready`).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return
    await wait(100)
  }
  throw new Error(`Prometheus was not ready within ${readyWithinMilliseconds} ms.`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise<void>((resolve) => void server.close(() => resolve()))
  if (address === null || typeof address === 'string') throw new Error('expected a port, found none')
  return address.port
}
