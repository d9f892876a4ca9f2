import { expect, it } from 'vitest'
import { listenForInterrupt } from './interrupt.ts'

it('aborts in order at the first press, takes a forwarded signal for the same one, and leaves at the second', () => {
  const before = process.listenerCount('SIGINT')
  let told = 0
  let left = 0
  let now = 1000
  const interrupt = listenForInterrupt(() => (told += 1), { now: () => now, leave: () => (left += 1) })
  expect(interrupt.signal.aborted).toBe(false)
  process.emit('SIGINT')
  process.emit('SIGINT')
  expect({ aborted: interrupt.signal.aborted, told, left }).toEqual({ aborted: true, told: 1, left: 0 })
  now += 1000
  process.emit('SIGTERM')
  expect({ told, left }).toEqual({ told: 1, left: 1 })
  interrupt.dispose()
  expect(process.listenerCount('SIGINT')).toBe(before)
})
