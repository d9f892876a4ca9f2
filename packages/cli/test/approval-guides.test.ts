import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decide, ordered, run } from '../../../docs/guides/snippets/approve-a-call.ts'
import { answer, ask, paid } from '../../../docs/guides/snippets/suspend-and-resume.ts'

function guide(name: string): string {
  return readFileSync(new URL(`../../../docs/guides/${name}`, import.meta.url), 'utf8')
}

describe('approve a call', () => {
  it('shows the cards and orders what the guide says', async () => {
    const cards = await run(decide)
    const text = guide('approve-a-call.md')
    expect(cards).toHaveLength(2)
    expect(text).toContain(`\n${cards.join('\n')}\n`)
    expect(ordered).toHaveLength(4)
    expect(text).toContain(ordered.map((line) => `    ${line}\n`).join(''))
  })
})

describe('suspend and resume', () => {
  it('goes on from what a browser kept, and refuses what it changed', async () => {
    const kept = JSON.parse(await ask('Pay Bob.')) as { continuation: string; approvals: { id: string }[] }
    expect(paid).toEqual([])
    // The form that the guide shows.
    const shown = /^ {4}(\{ "kind": "function_approval_response".*"approved": true.*\})$/m
    const form = JSON.parse(shown.exec(guide('suspend-and-resume.md'))?.[1] ?? '') as object
    const answers = kept.approvals.map(({ id }) => ({ ...form, id }))
    const changed = `A${kept.continuation}`
    await expect(answer(JSON.stringify({ continuation: changed, answers }))).rejects.toMatchObject({
      code: 'APPROVAL_REFUSED',
    })
    expect(await answer(JSON.stringify({ continuation: kept.continuation, answers }))).toBe('Bob has his money.')
    expect(paid).toEqual(['20 to Bob'])
  })
})
