import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readmeSample } from './readme-sample.ts'
import { mustRun, outsideOfNpm, type Surroundings } from './run-command.ts'

const prompt = 'The P95 latency of order-service rose from 200ms to 2s. Please analyse the likely causes.'

const runDocument = z.object({
  runId: z.string(),
  stopReason: z.string(),
  approvals: z.array(z.object({ id: z.string(), tool: z.string() })),
  report: z.object({
    conclusion: z.object({ cause: z.string() }),
    evidence: z.array(z.object({ uri: z.string() })),
  }),
})

/** A new user's folder: empty, outside of the repository, with a home and caches of its own for what Fairlead keeps. */
export function newUsersFolder(parent: string): Surroundings {
  const folder = join(parent, 'new-user')
  mkdirSync(folder)
  return { folder, variables: { ...outsideOfNpm(process.env), XDG_CACHE_HOME: join(parent, 'cache') } }
}

/** `npm init -y`, and all tarballs installed together with nothing else. */
export function installTarballs(tarballs: readonly string[], user: Surroundings): void {
  mustRun('npm', ['init', '-y'], user)
  mustRun('npm', ['install', ...tarballs], user)
  mustRun('npm', ['ls', '--all'], user)
}

/** `--version` and `--help` of the installed command; throws when one does not say what it should. */
export function askForHelp(version: string, user: Surroundings): void {
  const said = mustRun('npx', ['fairlead', '--version'], user).out.trim()
  expectSame('fairlead --version', said, version)
  const help = mustRun('npx', ['fairlead', '--help'], user).out
  for (const word of ['run', 'approvals', 'evidence']) {
    if (!help.includes(word)) throw new Error(`fairlead --help: expected it to name "${word}"; found:\n${help}`)
  }
}

/**
 * Runs the worked case by its name, looks at the evidence, approves the ticket and counts the tickets. Throws with what
 * was found at the first step that did not do what the quick start says.
 */
export function diagnoseAndApprove(user: Surroundings): void {
  const words = ['fairlead', 'run', prompt, '--example', 'incident-diagnosis', '--json']
  const run = runDocument.parse(JSON.parse(mustRun('npx', words, user).out))
  const [approval] = run.approvals
  expectSame('the run', `${run.stopReason}, ${approval?.tool}`, 'approval_required, create_incident_ticket')
  expectSame('the cause', run.report.conclusion.cause, 'deployment')
  const uri = run.report.evidence[0]?.uri ?? 'none'
  expectSame('the evidence', uriIn(mustRun('npx', ['fairlead', 'evidence', 'show', uri, '--json'], user).out), uri)

  const decision = ['fairlead', 'approvals', 'approve', approval?.id ?? 'none', '--by', 'ci', '--json']
  const ended = runDocument.parse(JSON.parse(mustRun('npx', decision, user).out))
  expectSame('the run after approval', `${ended.runId}, ${ended.stopReason}`, `${run.runId}, answered`)
  const tickets = readFileSync(join(user.folder, '.fairlead/tickets.jsonl'), 'utf8').trimEnd().split('\n')
  expectSame('the number of tickets', String(tickets.length), '1')
  mustRun('npx', decision, { ...user, code: 1 })
}

/** One configuration file of every kind; each must see the command's own instance of every door. */
export function loadConfigurations(user: Surroundings): void {
  const agent = `
import { Agent, defineConfig, tool } from 'fairlead'
import { Agent as RuntimeAgent } from '@fairlead/runtime'
import { Agent as CoreAgent } from '@fairlead/runtime/core'
if (Agent !== RuntimeAgent || Agent !== CoreAgent) throw new Error('two instances of Agent')
const hello = tool({
  name: 'say_hello',
  description: 'Says hello.',
  inputSchema: { type: 'object', properties: {} },
  effects: 'read',
  execute: async () => 'hello',
})
export default defineConfig({ agent: new Agent({ name: 'desk', tools: [hello] }) })
`
  const files = {
    'fairlead.config.ts': agent,
    'fairlead.config.mts': agent,
    'fairlead.config.js': agent,
    'fairlead.config.json': JSON.stringify({ module: './fairlead.config.ts' }),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(user.folder, name), text)
  const listed = [[], ...Object.keys(files).map((name) => ['--config', name])].map(
    (options) => mustRun('npx', ['fairlead', 'tools', 'list', '--json', ...options], user).out,
  )
  for (const out of listed) if (!out.includes('"say_hello"')) throw new Error(`tools list: found ${out}`)
}

/** The agent in the command's README, as a file of the user's own: its tool is listed. Throws when it is not. */
export function followReadme(user: Surroundings): void {
  const readme = readFileSync(join(user.folder, 'node_modules/fairlead/README.md'), 'utf8')
  writeFileSync(join(user.folder, 'readme.config.ts'), readmeSample(readme))
  const { out } = mustRun('npx', ['fairlead', 'tools', 'list', '--json', '--config', 'readme.config.ts'], user)
  if (!out.includes('"restart_service"')) throw new Error(`The agent of the README: found ${out}`)
}

/** Imports every published door as plain JavaScript; throws when one does not load. */
export function importDoors(doors: readonly string[], user: Surroundings): void {
  const script = doors.map((door) => `await import(${JSON.stringify(door)})`).join('\n')
  mustRun(process.execPath, ['--input-type=module', '--eval', script], user)
}

function uriIn(text: string): string {
  return z.object({ uri: z.string() }).parse(JSON.parse(text)).uri
}

function expectSame(what: string, found: string, expected: string): void {
  if (found !== expected) throw new Error(`${what}: expected "${expected}", found "${found}"`)
}
