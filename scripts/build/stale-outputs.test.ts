import { expect, it } from 'vitest'
import { staleOutputs } from './stale-outputs.ts'

it('names every output of a source that is gone, and of a test', () => {
  const outputs = ['a.js', 'a.js.map', 'a.d.ts', 'a.d.ts.map', 'b/c.js', 'b/c.d.ts.map', 'd.test.js', 'd.js']
  expect(staleOutputs(outputs, ['a.ts', 'd.ts', 'd.test.ts'])).toEqual(['b/c.js', 'b/c.d.ts.map', 'd.test.js'])
})

it('leaves alone what the compiler does not write', () => {
  expect(staleOutputs(['.tsbuildinfo', 'notes.txt', 'table.json'], [])).toEqual([])
})

it('tells files apart whose names begin alike', () => {
  expect(staleOutputs(['store.js', 'store.shape.js'], ['store.shape.ts'])).toEqual(['store.js'])
})
