import type { CallRecord, Transition } from '@fairlead/runtime/core'
import { describe, expect, it } from 'vitest'
import { sampleCall } from '../../test/sample-records.ts'
import { textHost } from '../../test/text-host.ts'
import { outputFor } from './output.ts'
import { progressOn } from './progress.ts'

const plain = { json: false, quiet: false, color: true }

function moved(
  call: CallRecord,
  ...states: Transition['state'][]
): Parameters<ReturnType<typeof progressOn>['show']>[0] {
  return { kind: 'call-moved', call, transitions: states.map((state) => ({ state, at: 0, detail: null })) }
}

describe('progress', () => {
  it('gives a settled call one plain line: tool, arguments, state, latency, summary', () => {
    const host = textHost()
    const progress = progressOn(outputFor(host, plain), { announceStart: false })
    progress.show(moved(sampleCall, 'Requested', 'Validated', 'PolicyChecked', 'Executing'))
    progress.show(moved(sampleCall, 'Succeeded', 'Observed'))
    expect(host.out()).toBe('✓ get_weather {"city":"Riga"}  Succeeded  12 ms  22 °C\n')
  })

  it('shows a failure by its code and a waiting call as waiting', () => {
    const host = textHost()
    const progress = progressOn(outputFor(host, plain), { announceStart: false })
    const result = { ...sampleCall.result!, status: 'error' as const, errorCode: 'TIMEOUT', summary: 'Too slow.' }
    progress.show(moved({ ...sampleCall, result }, 'TimedOut', 'Observed'))
    progress.show(moved(sampleCall, 'NeedsApproval'))
    expect(host.out().split('\n')).toEqual([
      '✗ get_weather {"city":"Riga"}  TIMEOUT  12 ms  Too slow.',
      '? get_weather {"city":"Riga"}  needs approval',
      '',
    ])
  })

  it('makes what a model and a tool wrote harmless', () => {
    const host = textHost()
    const progress = progressOn(outputFor(host, plain), { announceStart: false })
    const result = { ...sampleCall.result!, summary: 'ok\u001b[1A\nforged line' }
    progress.show(moved({ ...sampleCall, tool: 'x\u001b[8m', arguments: { a: '\u202e' }, result }, 'Observed'))
    progress.show({
      kind: 'message-added',
      message: { role: 'assistant', parts: [{ kind: 'text', text: 'Hi\u001b]0;title\u0007' }] },
    })
    for (const hidden of ['\u001b', '\u0007', '\u202e']) expect(host.out()).not.toContain(hidden)
    expect(host.out().split('\n')[0]).toContain('ok<U+001B>[1A forged line')
  })

  it('does not say again what was read before', () => {
    const host = textHost()
    const said = (text: string) =>
      ({ kind: 'message-added', message: { role: 'assistant', parts: [{ kind: 'text', text }] } }) as const
    const progress = progressOn(outputFor(host, plain), {
      announceStart: false,
      earlier: ['Cause: a.\n\nEvidence:\n1. b\n\nNext: c.'],
    })
    const whole = 'Filed.\n\nCause: a.\n\nEvidence:\n1. b\n\nNext: nothing.'
    progress.show(said(whole))
    progress.show(said('Cause: a.'))
    expect(host.out()).toBe('Filed.\n\nNext: nothing.\n\n(2 paragraphs as before.)\n\nCause: a.\n\n')
    expect(progress.shownText()).toBe('Cause: a.')
  })

  it('remembers the text a person has seen, and shows nothing when quiet', () => {
    const host = textHost()
    const message = { role: 'assistant', parts: [{ kind: 'text', text: ' Answer ' }] } as const
    const progress = progressOn(outputFor(host, plain), { announceStart: false })
    expect(progress.shownText()).toBeNull()
    progress.show({ kind: 'message-added', message })
    expect(progress.shownText()).toBe('Answer')

    const silent = textHost()
    const quiet = progressOn(outputFor(silent, { ...plain, quiet: true }), { announceStart: true })
    quiet.show({ kind: 'message-added', message })
    quiet.show(moved(sampleCall, 'Executing'))
    expect(quiet.shownText()).toBeNull()
    expect(silent.out() + silent.error()).toBe('')
  })

  it('keeps standard output clean under --json', () => {
    const host = textHost()
    const progress = progressOn(outputFor(host, { ...plain, json: true }), { announceStart: false })
    progress.show(moved(sampleCall, 'Observed'))
    expect(host.out()).toBe('')
    expect(host.error()).toContain('get_weather')
  })

  it('colours only for a terminal that wants it', () => {
    const line = (host: ReturnType<typeof textHost>, color = true): string => {
      progressOn(outputFor(host, { ...plain, color }), { announceStart: false }).show(moved(sampleCall, 'Observed'))
      return host.out()
    }
    expect(line(textHost({ isTerminal: true }))).toContain('\u001b[')
    expect(line(textHost({ isTerminal: true }), false)).not.toContain('\u001b[')
    expect(line(textHost({ isTerminal: true, variables: { NO_COLOR: '1' } }))).not.toContain('\u001b[')
    expect(line(textHost({ isTerminal: true, variables: { TERM: 'dumb' } }))).not.toContain('\u001b[')
    expect(line(textHost())).not.toContain('\u001b[')
  })
})
