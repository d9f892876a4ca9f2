import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { readAnswer } from './program-answer.mjs'

/** Runs a measuring program and gives its answer. Rejects with what it said when it failed or took too long. */
export function runProgram(name, args, timeoutMs = 240_000) {
  const file = join(import.meta.dirname, 'programs', name)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (errors += data))
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const found = readAnswer(output)
      if (found !== undefined) resolve(found)
      else if (signal === 'SIGKILL') reject(new Error(`${name} took longer than ${timeoutMs} ms`))
      else reject(new Error(`${name} ended with ${code ?? signal}: ${errors.trim().slice(-600)}`))
    })
  })
}
