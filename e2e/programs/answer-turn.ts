// A process of its own for approvals over one store file: asks, decides, or goes on with the run, and ends.
// Arguments: store file, ledger file, then: ask | decide REQUEST yes|no|edit|remember WHO | race REQUEST WHO | resume RUN.
import { appendFileSync } from 'node:fs'
import { Agent, tool, toolApproval } from '@fairlead/runtime'
import { statelessScript } from '@fairlead/runtime/testing'
import { sqliteStore } from '@fairlead/store'
import { z } from 'zod'

const [file = '', ledger = '', what = '', subject = '', ...words] = process.argv.slice(2)

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
const effect = (line: string): void => appendFileSync(ledger, `${line}\n`)
const pathSchema = z.object({ path: z.string() })

const look = tool({
  name: 'look',
  description: 'Looks.',
  inputSchema: pathSchema,
  effects: 'read',
  execute: ({ path }) => effect(`look ${path}`),
})
const wipe = tool({
  name: 'wipe',
  description: 'Wipes.',
  inputSchema: pathSchema,
  effects: 'destructive',
  needsApproval: true,
  execute: ({ path }) => effect(`wipe ${path}`),
})
const cleaner = new Agent({
  name: 'cleaner',
  model: statelessScript([{ calls: [{ name: 'wipe', arguments: { path: 'inside' } }] }, 'Cleaned.']),
  tools: [wipe],
})

const store = sqliteStore({ file })
const agent = new Agent({
  model: statelessScript([
    {
      calls: [
        { name: 'look', arguments: { path: 'a' } },
        { name: 'wipe', arguments: { path: 'b' } },
        { name: 'wipe', arguments: { path: 'c' } },
        { name: 'wipe', arguments: { path: 'small' } },
      ],
    },
    { calls: [{ name: 'clean', arguments: { task: 'all' } }] },
    'done',
  ]),
  tools: [look, wipe, cleaner.asTool({ name: 'clean' })],
  middleware: [toolApproval({ autoApprove: ({ arguments: args }) => args['path'] === 'small' })],
  store,
  principal: { id: 'tester' },
})

const stopped = (result: Awaited<ReturnType<Agent['run']>>): void =>
  say({
    kind: 'stopped',
    runId: result.runId,
    stopReason: result.stopReason,
    text: result.text,
    approvals: result.approvals.map(({ id, path, arguments: args }) => ({ id, path, args })),
  })

try {
  switch (what) {
    case 'ask':
      stopped(await agent.run('go', { session: await agent.session('turn') }))
      break
    case 'race':
    case 'decide': {
      if (what === 'race') {
        say({ kind: 'ready' })
        await new Promise((resolve) => process.stdin.once('data', resolve))
        process.stdin.unref()
      }
      const [how = 'yes', by = 'ann'] = words
      const verdict = await agent.decide({
        id: subject,
        approved: how !== 'no',
        by,
        ...(how === 'edit' ? { edit: { path: 'edited' } } : {}),
        ...(how === 'remember' ? { remember: { what: 'tool', scope: 'user' } } : {}),
      })
      say({ kind: 'verdict', verdict: verdict.kind, by: 'approval' in verdict ? verdict.approval.decidedBy : null })
      break
    }
    case 'resume':
      stopped(await agent.resume(subject).result)
      break
    default:
      say({ kind: 'failed', code: `unknown: ${what}` })
  }
} catch (error) {
  say({ kind: 'failed', code: (error as { code?: string }).code ?? String(error) })
}
await store.close()
process.exit(0)
