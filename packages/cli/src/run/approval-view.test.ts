import { memoryStore, type Approval } from '@fairlead/runtime/core'
import { sampleRun as runWith } from '@fairlead/runtime/testing'
import { expect, it } from 'vitest'
import { sampleApproval } from '../../test/sample-records.ts'
import { approvalView } from './approval-view.ts'

const first: Approval = { ...sampleApproval, status: 'superseded' }
const again: Approval = { ...sampleApproval, id: 'approval_2', createdAt: first.createdAt + 1 }

async function viewOf(changed: Partial<Approval>, other: Approval = first): Promise<unknown> {
  const store = memoryStore()
  const approval = { ...again, ...changed }
  await store.journal.append([
    { kind: 'session-created', sessionId: approval.sessionId, at: 0 },
    { kind: 'run-started', run: runWith({ id: approval.runId, sessionId: approval.sessionId }) },
    { kind: 'approval-requested', approval: other },
    { kind: 'approval-requested', approval },
  ])
  return approvalView(approval, store)
}

it('knows what the same call was asked about before, where that was something else', async () => {
  expect(await viewOf({ arguments: { title: 'Fast' } })).toMatchObject({ path: [], before: first.arguments })
  expect(await viewOf({})).toMatchObject({ before: null })
  const ofAnother = { ...first, callId: `${first.callId}0` } as Approval
  expect(await viewOf({ arguments: { title: 'Fast' } }, ofAnother)).toMatchObject({ before: null })
})
