import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AbortFan } from './abort-fan.ts'

it('tells each listener that has not left, once, in the order they came, whatever came and went', () => {
  let told = 0
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 60 }), (steps) => {
      const fan = new AbortFan(undefined)
      const heard: number[] = []
      const present = new Map<number, () => void>()
      for (const [index, leaves] of steps.entries()) {
        present.set(
          index,
          fan.listen(() => heard.push(index)),
        )
        const leaving = [...present.keys()][leaves]
        if (leaving === undefined) continue
        const leave = present.get(leaving)
        leave?.()
        // Leaving twice is leaving once.
        leave?.()
        present.delete(leaving)
      }
      fan.abort('over')
      fan.abort('again')
      for (const leave of present.values()) leave()
      told += heard.length
      expect(heard).toEqual([...present.keys()])
    }),
  )
  expect(told).toBeGreaterThan(100)
})

it('tells who comes too late at once, and nobody after it was closed', () => {
  const heard: unknown[] = []
  const fan = new AbortFan(undefined)
  fan.abort('over')
  fan.listen((reason) => heard.push(reason))
  const closed = new AbortFan(undefined)
  closed.listen(() => heard.push('never'))
  closed.close()
  closed.abort('late')
  expect(heard).toEqual(['over'])
})
