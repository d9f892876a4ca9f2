import { directExecutor, systemClock } from '@fairlead/runtime/core'
import type { ChatClient, Clock, Executor, JournalEntry, Policy, Recorder, Store } from '@fairlead/runtime/core'
import type { Reached } from './fuse.ts'

/**
 * The same store, with a point before and after each write. A write is named after what it says: `claim` (of a run),
 * `reopen` (it runs again), `renew`, `release`, `decision`, `resolution`, `answer` (of the host), `ask` (requests for
 * approval), `intents` (calls about to run), `outcomes`, `in-doubt`, `suspend`, `words`, `end`. Those of an agent inside a
 * call begin with `inner `.
 */
export function mortalStore(store: Store, reached: Reached): Store {
  const { journal } = store
  return {
    ...store,
    close: () => store.close(),
    journal: {
      ...journal,
      async append(batch) {
        const name = nameOfWrite(batch)
        reached(`before ${name}`)
        await journal.append(batch)
        reached(`after ${name}`)
      },
    },
  }
}

/** What a batch of entries is called. */
function nameOfWrite(batch: readonly JournalEntry[]): string {
  const inner = batch.some((entry) => sessionOf(entry).startsWith('session_in_')) ? 'inner ' : ''
  return `${inner}${purposeOf(batch)}`
}

function purposeOf(batch: readonly JournalEntry[]): string {
  const states = batch.flatMap((entry) =>
    entry.kind === 'call-opened' || entry.kind === 'call-moved' ? [entry.call.state] : [],
  )
  const run = batch.find((entry) => entry.kind === 'run-changed')?.run
  const kinds = new Set(batch.map((entry) => entry.kind))
  const claim = batch.find((entry) => entry.kind === 'run-claimed')
  if (kinds.has('approval-decided') && run === undefined && claim === undefined) return 'decision'
  if (run?.status === 'ended') return 'end'
  if (states.includes('Executing')) return 'intents'
  if (states.includes('NeedsApproval')) return 'ask'
  if (states.includes('Unknown')) return 'in-doubt'
  if (claim === undefined && run === undefined && states.length > 0) {
    return states.includes('Approved') || kinds.has('messages-added') ? 'resolution' : 'answer'
  }
  if (states.length > 0) return run?.status === 'suspended' ? 'suspend' : 'outcomes'
  if (run?.status === 'suspended') return 'suspend'
  if (run?.status === 'running') return kinds.has('messages-added') ? 'words' : 'reopen'
  if (claim === undefined) return 'words'
  if (claim.lease === null) return 'release'
  return claim.expectedLease?.worker === claim.lease.worker ? 'renew' : 'claim'
}

function sessionOf(entry: JournalEntry): string {
  switch (entry.kind) {
    case 'call-opened':
    case 'call-moved':
      return entry.call.sessionId
    case 'run-started':
    case 'run-changed':
      return entry.run.sessionId
    case 'session-created':
    case 'messages-added':
      return entry.sessionId
    case 'approval-requested':
      return entry.approval.sessionId
    default:
      return ''
  }
}

/** A recorder with points around the steps it hears of; it takes its time, as one that writes does. */
export function mortalRecorder(reached: Reached): Recorder {
  return {
    async record(steps) {
      const states = new Set(steps.flatMap(({ transitions }) => transitions.map(({ state }) => state)))
      const what = states.has('Executing') ? 'intents' : states.has('Observed') ? 'outcomes' : 'steps'
      reached(`recorder before ${what}`)
      await new Promise((resolve) => setImmediate(resolve))
      reached(`recorder after ${what}`)
    },
  }
}

/** The direct executor with points around each attempt. */
export function mortalExecutor(reached: Reached): Executor {
  return {
    async execute(tool, args, context) {
      const { name } = tool.contract
      reached(`before execute ${name}`)
      const value: unknown = await directExecutor.execute(tool, args, context)
      reached(`after execute ${name}`)
      return value
    },
  }
}

/** A model with points around its turns: after one, its reply is known to this process alone. */
export function mortalModel(model: ChatClient, reached: Reached): ChatClient {
  return {
    ...model,
    async generate(request) {
      reached('before turn')
      const response = await model.generate(request)
      reached('after turn')
      return response
    },
  }
}

/** Forbids tools by name, allows the rest, with a point inside each decision. */
export function mortalPolicy(denied: readonly string[], reached: Reached): Policy {
  return {
    async decide({ tool }) {
      reached('policy')
      return denied.includes(tool.name)
        ? { effect: 'deny', rules: ['denied'], reason: 'Not any more.' }
        : { effect: 'allow', rules: [] }
    },
  }
}

/** This machine's time with a constant added, and a point at every look at it. */
export function mortalClock(aheadMs: number, reached: Reached): Clock {
  return {
    now() {
      reached('clock')
      return systemClock.now() + aheadMs
    },
    sleep: (ms, signal, options) => systemClock.sleep(ms, signal, options),
  }
}
