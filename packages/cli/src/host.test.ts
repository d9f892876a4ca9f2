import { expect, it } from 'vitest'
import { textHost } from '../test/text-host.ts'
import { canAsk } from './host.ts'

it('asks a person only when both ends are a terminal outside a build server', () => {
  expect(canAsk(textHost({ isTerminal: true }))).toBe(true)
  expect(canAsk(textHost({ isTerminal: true, stdinIsTerminal: false }))).toBe(false)
  expect(canAsk(textHost({ stdinIsTerminal: true }))).toBe(false)
  expect(canAsk(textHost({ isTerminal: true, variables: { CI: 'true' } }))).toBe(false)
  expect(canAsk(textHost({ isTerminal: true, variables: { CI: '' } }))).toBe(true)
})
