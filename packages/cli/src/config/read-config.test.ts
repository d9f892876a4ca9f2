import { expect, it } from 'vitest'
import { exitCode } from '../exit.ts'
import { readConfig } from './read-config.ts'

const agent = (): never => {
  throw new Error('not called')
}

it.each([
  ['nothing', undefined, 'found undefined'],
  ['an array', [], 'found an array'],
  ['no agent', {}, '"agent" must be an Agent'],
  ['an agent that is none', { agent: { name: 'x' } }, '"agent" must be an Agent'],
  ['a model that is none', { agent, offlineModel: {} }, '"offlineModel" must be a chat client'],
  ['a report that is no function', { agent, report: 'x' }, '"report" must be a function'],
  ['a misspelt field', { agent, offlinemodel: agent }, '"offlinemodel" is not part'],
])('refuses %s as a usage failure that names the file and the field', (_name, value, message) => {
  expect(() => readConfig(value, '/c.ts')).toThrowError(expect.objectContaining({ exit: exitCode.usage }))
  expect(() => readConfig(value, '/c.ts')).toThrowError(message)
  expect(() => readConfig(value, '/c.ts')).toThrowError('/c.ts')
})

it('takes functions without calling them', () => {
  const config = { agent, offlineModel: agent, report: agent }
  expect(readConfig(config, '/c.ts')).toBe(config)
})
